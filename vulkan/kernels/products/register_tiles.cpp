#include "vulkan/kernels/products/register_tiles.h"

#include <algorithm>

#include "convolution_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/kernel_choice.h"

namespace nnvk::vulkan {
namespace {

// A call that reads texels takes lavapipe 22.3.6 this many instructions for a subgroup, counted in its disassembly.
constexpr uint64_t kRead = 60;

constexpr uint32_t kSoftwareLanes = 8;  // of a subgroup of lavapipe on processors with 256-bit vectors

constexpr RegisterTile kSoftwareTiles[] = {{1, 1}, {1, 2}, {4, 1}, {4, 2}, {8, 1}, {8, 2}, {16, 1}};
constexpr RegisterTile kHardwareTiles[] = {{8, 1}, {4, 1}, {2, 1}, {1, 1}};  // best first

// Returns the most loads of a sum in one dispatch, with `steps` adjacent loads per tap. A tap costs about five iterations more
// than its loads, because it begins and ends three nested loops (see bounded_work.h).
constexpr uint32_t most_loads(uint32_t steps) { return (steps < 16 ? 1 : 4) * 8 * 1024; }

uint64_t invocations(const RegisterTile& tile, const ProductShape& shape) {
  return divide_up(shape.pixels, tile.pixels) * shape.repetitions() * (shape.filter.columns / tile.vectors);
}

// Returns how many invocations can share their reads of the input: they must be neighbours in one group of channels and in one
// subgroup.
uint32_t choose_sharers(const RegisterTile& tile, const ProductShape& shape, const DeviceTraits& traits) {
  const bool shuffles = traits.features.contains(KernelFeature::kSubgroupShuffle);
  if (!traits.is_software() || !shuffles || traits.subgroup_size < kSoftwareLanes) return 1;
  const uint32_t neighbours = shape.filter.columns / tile.vectors;
  uint32_t sharers = std::min(kSoftwareLanes, tile.pixels);
  while (neighbours % sharers != 0) sharers /= 2;
  return sharers;
}

// Returns the instructions of all invocations for one step of the sums. A multiply-add is two; a step loads, masks and stores a
// sum once.
uint64_t software_cost(const RegisterTile& tile, const ProductShape& shape) {
  const uint64_t lanes = shape.lanes();
  const uint64_t reads = tile.pixels / tile.sharers + lanes * tile.vectors;
  const uint64_t sums = uint64_t{4} * tile.pixels * tile.vectors;
  const uint64_t shuffles = tile.sharers > 1 ? lanes * tile.pixels : 0;
  return invocations(tile, shape) * (kRead * reads + shuffles + sums * (2 * lanes + 3));
}

RegisterTile choose_for_software(const ProductShape& shape, const DeviceTraits& traits) {
  RegisterTile best;
  uint64_t least = software_cost(best, shape);
  for (RegisterTile tile : kSoftwareTiles) {
    if (shape.filter.columns % tile.vectors != 0) continue;
    tile.sharers = choose_sharers(tile, shape, traits);
    // Skips tiles that leave too few invocations, except for up to four pixels, for which smaller tiles would not help much.
    const bool splits = tile.pixels > 4 || shape.pixels > 4;
    if (tile.pixels > 1 && splits && invocations(tile, shape) < wanted_invocations(traits.machine)) continue;
    if (const uint64_t cost = software_cost(tile, shape); cost < least) {
      least = cost;
      best = tile;
    }
  }
  return best;
}

RegisterTile choose_for_hardware(const ProductShape& shape, const DeviceTraits& traits) {
  for (const RegisterTile& tile : kHardwareTiles) {
    if (tile_registers(tile, shape) > traits.registers || shape.pixels < tile.pixels) continue;
    if (invocations(tile, shape) >= wanted_invocations(traits.machine)) return tile;
    if (shape.pixels <= 4 && tile.pixels >= shape.pixels) return tile;
  }
  return {};
}

// Returns whether a float matrix already has the layout of packed weights.
bool is_packed(const Product& product) {
  const FilterLayout& filter = product.shape.filter;
  return product.source.type == OperandType::kTensorFloat32 && filter.stride_channel == 1 &&
         filter.out_channels == 4 * filter.columns && filter.stride_k == filter.out_channels &&
         filter.stride_group == filter.in_channels * filter.out_channels;
}

const char* window_text(uint32_t window) {
  switch (window) {
    case kWindowPointwise:
      return "each output pixel reads the input pixel of its place";
    case kWindowTransposed:
      return "transposed: pixels of one phase meet the same taps";
    case kWindowInside:
      return "the window stays inside the image";
    default:
      return "the window leaves the image, which is checked at every tap";
  }
}

}  // namespace

uint32_t tile_registers(const RegisterTile& tile, const ProductShape& shape) {
  // 8-bit sums that a float cannot hold exactly take twice the registers.
  const bool two_sums = !is_float_tensor(shape.type) && !shape.is_exact();
  const uint32_t sums = 4 * tile.vectors * (two_sums ? 2 : 1);
  const uint32_t place = shape.window == kWindowPointwise    ? 0
                         : shape.window == kWindowTransposed ? 5
                                                             : 4;  // registers for the position in the image
  const uint32_t inputs = 6 + place;
  return tile.pixels * (sums + inputs) + 16 * tile.vectors + 4;
}

RegisterTile choose_register_tile(const ProductShape& shape, const DeviceTraits& traits) {
  return traits.is_software() ? choose_for_software(shape, traits) : choose_for_hardware(shape, traits);
}

uint32_t most_tile_pixels(uint32_t registers_of_four, const ProductShape& shape, const DeviceTraits& traits) {
  const bool counts_places = traits.machine.vendor == GpuVendor::kNvidia || traits.has_few_registers();
  const uint32_t places = shape.window == kWindowTransposed && counts_places ? 64 : 0;
  if (traits.registers >= registers_of_four + places) return 4;
  return 2 * traits.registers >= registers_of_four + places ? 2 : 1;
}

uint32_t choose_tile_pixels(uint64_t pixels, uint64_t repetitions, uint32_t most, const DeviceTraits& traits) {
  // Smaller tiles would hardly fill the device with so few pixels, so all pixels share their weights in one tile.
  if (pixels > 1 && pixels <= most) return most;
  for (uint32_t tile = most; tile > 1; tile /= 2) {
    if (pixels >= tile && divide_up(pixels, tile) * repetitions >= wanted_invocations(traits.machine)) return tile;
  }
  return 1;
}

Result<TensorBinding> float_weights(const EmitContext& context, const Product& product) {
  TensorId packed = product.source.tensor;
  if (!is_packed(product)) {
    NNVK_ASSIGN(packed, packed_weights(context, product.source, product.shape.filter, product.weights_name));
  }
  return read_quads(packed, OperandType::kTensorFloat32);
}

// Emits a product with this tile. If an invocation would loop for too long in one dispatch, adds several dispatches that continue
// each other's sums.
Status emit_register_tiles(const EmitContext& context, const Product& product, const RegisterTile& tile) {
  const ProductShape& shape = product.shape;
  auto params = dense_params<ConvolutionParams>(product, product.input_strides(), divide_up(shape.filter.columns, tile.vectors));
  params.in_steps = shape.filter.in_channels / shape.lanes();
  // The steps fit 32 bits, because a buffer holds a vector of packed weights for each step.
  const auto all = static_cast<uint32_t>(shape.steps_of_sum());
  const std::vector<SliceStep> chunks = slice_steps(all, most_loads(params.in_steps));
  const bool chunked = chunks.size() > 1;
  NNVK_ASSIGN(const TensorBinding weights, float_weights(context, product));
  const uint64_t count = invocations(tile, shape);
  NNVK_ASSIGN(const TensorBinding partial, partial_sums(context, count, tile.pixels * tile.vectors, chunked));
  const TensorBinding x = product.input_binding();
  // The arguments of float and integer kernels differ only in `own` and `fourth`.
  const auto make = [&]<class Shape>(TypedKernel<Shape> kernel, bool own, const TensorBinding& fourth) {
    return make_dispatch(
        context, kernel,
        typename Shape::Specialization{element_type(shape.type), tile.pixels, shape.scalar_input(), shape.scalar_output,
                                       shape.window, tile.vectors, product.grouping(), chunked, tile.sharers, own},
        typename Shape::Bindings{x, weights, product.bias.value_or(x), write_words(product.target), fourth, partial});
  };
  const bool shared = tile.sharers > 1;
  DispatchOf<ConvolutionParams> dispatch =
      is_float_tensor(shape.type)
          ? make(shared ? kernels::kConvolutionSharedFloat : kernels::kConvolutionFloat, shape.residual, product.addend)
          : make(shared ? kernels::kConvolutionSharedInteger : kernels::kConvolutionInteger, shape.is_exact(), product.scales);
  NNVK_TRY(set_flat_groups(context, count, dispatch));
  dispatch.label = product.label;
  dispatch.choice = product.choice;
  dispatch.multiply_adds = product.multiply_adds / chunks.size();
  for (const SliceStep& chunk : chunks) {
    params.chunk_begin = chunk.begin;
    params.chunk_end = chunk.end == all ? kConvolutionLastChunk : chunk.end;
    dispatch.set_params(params);
    context.dispatches.add(dispatch);
  }
  return {};
}

std::string reason_of(const RegisterTile& tile, const ProductShape& shape, const DeviceTraits& traits) {
  const std::string shared =
      tile.sharers > 1 ? "; " + counted(tile.sharers, "invocation") + " read the input of their pixels together" : "";
  return counted(tile.pixels, "pixel") + " x " + counted(tile.vectors, "vector") +
         " of channels: " + pixels_reason(tile.pixels, shape.pixels, invocations(tile, shape), traits) + shared + "; " +
         window_text(shape.window) + access_reason(shape.scalar_input(), shape);
}

std::string counted(uint64_t count, const char* what) { return grouped_digits(count) + " " + what + (count == 1 ? "" : "s"); }

std::string pixels_reason(uint32_t tile_pixels, uint64_t pixels, uint64_t invocations, const DeviceTraits& traits) {
  const uint64_t wanted = wanted_invocations(traits.machine);
  if (pixels <= 1) return "there is one pixel to share weights with";
  if (tile_pixels > 1 && invocations < wanted) return "all " + counted(pixels, "pixel") + " share their weights";
  const std::string best = traits.is_software() ? "the fewest instructions"
                                                : "the largest tile within " + std::to_string(traits.registers) + " registers";
  if (tile_pixels > 1) {
    return best + ", " + counted(invocations, "invocation") + " keep the device busy (" + grouped_digits(wanted) + " do)";
  }
  return best + " that leaves the " + grouped_digits(wanted) + " invocations that keep the device busy";
}

std::string access_reason(bool scalar_input, const ProductShape& shape) {
  std::string text;
  if (scalar_input) text += "; input element by element: its channels lie in planes or are not a multiple of four";
  if (shape.scalar_output) text += "; output element by element: its channels lie in planes or are not a multiple of four";
  if (shape.narrow) text += ", as 32-bit words that another kernel narrows";
  return text;
}

}  // namespace nnvk::vulkan
