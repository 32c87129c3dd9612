#include "vulkan/kernels/products/matrices.h"

#include <algorithm>

#include "matrix_convolution_kernels.h"
#include "vulkan/kernels/products/byte_words.h"
#include "vulkan/kernels/products/dot_products.h"
#include "vulkan/kernels/products/split_sums.h"

namespace nnvk::vulkan {
namespace {

// Possible tiles of a work group. Larger tiles read less per product, but need more registers: 64 x 64 takes 32 sums each.
struct Tile {
  uint32_t pixels;
  uint32_t channels;
};
constexpr Tile kTiles[] = {{64, 64}, {32, 64}, {64, 32}, {32, 32}, {16, 64}, {16, 32}};
constexpr uint32_t kLeastSums = 1024;  // of a tile, unless each invocation may have few

// Returns the most sums of an invocation with which Mesa's compilers do not spill and leave 16 warps on NVIDIA (perf/static).
uint32_t most_sums(bool bytes, const DeviceTraits& traits) {
  if (traits.machine.vendor == GpuVendor::kIntel) return traits.has_few_registers() ? 4 : 16;
  return traits.machine.vendor == GpuVendor::kNvidia && bytes ? 16 : 32;
}

// Channels of a chunk.
constexpr uint32_t kHalfChunk = 8;
constexpr uint32_t kByteChunk = 16;

// Splits a tile of matrices into a block per subgroup of a work group, as square as possible. Returns nullopt if none fits.
std::optional<MatrixChoice> blocks_of(const Tile& tile, const MatrixShape& shape, uint32_t subgroups) {
  if (tile.pixels % shape.rows != 0 || tile.channels % shape.columns != 0) return std::nullopt;
  const uint32_t rows = tile.pixels / shape.rows;
  const uint32_t columns = tile.channels / shape.columns;
  std::optional<MatrixChoice> best;
  for (uint32_t down = 1; down <= subgroups && down <= rows; ++down) {
    const uint32_t across = subgroups / down;
    if (down * across != subgroups || rows % down != 0 || across > columns || columns % across != 0) continue;
    const MatrixChoice choice{shape, rows / down, columns / across, down, across};
    const auto edge = [](const MatrixChoice& c) { return c.block_rows + c.block_columns; };
    if (!best || edge(choice) < edge(*best)) best = choice;
  }
  return best;
}

// Returns the multiply-adds of a layer, including the padding of tiles and of the chunks that a work group takes together.
double padded_products(const MatrixChoice& choice, const ProductShape& shape) {
  const MatrixLayout layout = matrix_layout(shape);
  const uint64_t depth = divide_up(layout.group_chunks, kMatrixChunks) * kMatrixChunks * layout.chunk_channels;
  return static_cast<double>(matrix_work_groups(choice, shape.filter, shape.pixels)) * choice.pixels() * choice.channels() *
         static_cast<double>(depth);
}

double real_products(const ProductShape& shape) {
  const FilterLayout& filter = shape.filter;
  return static_cast<double>(shape.pixels) * filter.groups * filter.out_channels * filter.taps * filter.in_channels;
}

// Returns how many times as long a dispatch takes because of idle lanes.
double idleness(uint64_t invocations, const Machine& machine) {
  return std::max(1.0, static_cast<double>(wanted_invocations(machine)) / static_cast<double>(invocations));
}

uint64_t invocations(const MatrixChoice& choice, const ProductShape& shape) {
  return matrix_work_groups(choice, shape.filter, shape.pixels) * kMatrixInvocations;
}

// Returns a tile's cost, only for comparisons. Reads are as important as multiply-adds: a tile that reads twice as much per
// multiply-add as the largest tile costs half as much again. Idle lanes multiply the cost.
double cost_of(const MatrixChoice& choice, const ProductShape& shape, const Machine& machine) {
  const double reads = (1.0 / choice.pixels() + 1.0 / choice.channels()) / (1.0 / kTiles[0].pixels + 1.0 / kTiles[0].channels);
  return padded_products(choice, shape) * (0.5 + 0.5 * reads) * idleness(invocations(choice, shape), machine);
}

// Returns how many invocations share the sums of the product if not matrices but a form that can split sums computes it; 0 if
// there is no such form.
uint64_t invocations_of_split_sums(const ProductShape& shape, const DeviceTraits& traits) {
  if (is_float_tensor(shape.type)) {
    if (traits.leaves_out(KernelForm::kSplit)) return 0;
    const auto split = choose_split_sum(shape, traits);
    return split ? work_groups(*split, shape) * kSplitInvocations : 0;
  }
  if (!traits.fast_dot_products || traits.leaves_out(KernelForm::kDot)) return 0;
  const auto dot = choose_dot(shape, traits);
  return dot ? invocations(*dot, shape) : 0;
}

// The words of a chunk of bytes. The input's copy has whole chunks for each group of channels.
constexpr uint32_t kChunkWords = 4;
uint32_t whole_chunk_words(const FilterLayout& filter) {
  return static_cast<uint32_t>(kChunkWords * divide_up(filter.in_channels, uint64_t{4} * kChunkWords));
}

// Returns the parameters that pack the weights of a product.
MatrixPackParams packing_params(const Product& product) {
  const MatrixLayout layout = matrix_layout(product.shape);
  MatrixPackParams params{};
  params.vectors = static_cast<uint32_t>(layout.weight_vectors);
  params.columns = layout.columns;
  params.group_chunks = static_cast<uint32_t>(layout.group_chunks);
  params.tap_chunks = layout.tap_chunks;
  set_filter(product.shape.filter, params);
  params.sign_flip = sign_flip(product.source);
  return params;
}

// Returns the packed weights of a layer; for bytes, corrections for the zero point of `image` and scales follow in the same
// tensor.
Result<TensorBinding> packed_chunks(const EmitContext& context, const Product& product, const WordImage* image) {
  const MatrixLayout layout = matrix_layout(product.shape);
  const MatrixPackParams params = packing_params(product);
  const WeightSource& source = product.source;
  const std::string name = "matrix " + product.weights_name;
  NNVK_ASSIGN(const TensorId packed,
              context.dispatches.packed(name, source.tensor, layout.packed_bytes(), [&](TensorId target) -> Status {
                const PackedTarget into{target, name};
                if (image == nullptr) return add_packing(context, kernels::kMatrixConvolutionPackFloat, source, into, params);
                NNVK_TRY(add_packing(context, kernels::kMatrixConvolutionPackInteger, source, into, params));
                const auto rows = static_cast<uint32_t>(layout.group_chunks);
                return add_constants(
                    context, kernels::kMatrixConvolutionConstants, product,
                    {target, name, layout.columns / 4, rows, layout.chunk_channels, layout.corrections, layout.scale_vectors},
                    *image);
              }));
  return read_bytes16(packed);
}

// Returns the parameters that floats and bytes share.
template <class Params>
Params matrix_params(const Product& product, const MatrixChoice& choice, const Strides& in) {
  auto params = dense_params<Params>(product, in, divide_up(product.shape.filter.out_channels, choice.channels()));
  params.tap_chunks = matrix_layout(product.shape).tap_chunks;
  return params;
}

// Returns the constants that all variants of the kernel share, in their order, followed by `own`, the constants of one variant.
template <class Shape, class... Own>
typename Shape::Specialization specialization(const Product& product, const MatrixChoice& choice, Own... own) {
  const ProductShape& shape = product.shape;
  return {element_type(shape.type), choice.shape.rows,    choice.shape.columns, choice.shape.depth,
          choice.block_rows,        choice.block_columns, choice.group_rows,    choice.group_columns,
          shape.scalar_output,      shape.window,         product.grouping(),   own...};
}

Result<Dispatch> float_dispatch(const EmitContext& context, const Product& product, const MatrixChoice& choice) {
  const ProductShape& shape = product.shape;
  auto params = matrix_params<MatrixFloatParams>(product, choice, product.input_strides());
  params.tap_size = shape.filter.in_channels;
  NNVK_ASSIGN(const TensorBinding weights, packed_chunks(context, product, nullptr));
  const TensorBinding x = product.input_binding();
  const TensorBinding bias = product.bias.value_or(x);  // the kernel never reads the stand-in
  const TensorBinding y = write_words(product.target);
  const auto make = [&]<class Shape>(TypedKernel<Shape> kernel, const typename Shape::Bindings& bindings) {
    return make_dispatch(context, kernel, specialization<Shape>(product, choice, shape.scalar_input()), bindings, params);
  };
  return shape.residual ? make(kernels::kMatrixConvolutionFloatResidual,
                               {.in_x = x, .in_weights = weights, .in_bias = bias, .out_y = y, .in_residual = product.addend})
                        : make(kernels::kMatrixConvolutionFloat, {.in_x = x, .in_weights = weights, .in_bias = bias, .out_y = y});
}

Result<Dispatch> integer_dispatch(const EmitContext& context, const Product& product, const MatrixChoice& choice) {
  const FilterLayout& filter = product.shape.filter;
  NNVK_ASSIGN(const WordImage image, input_in_words(context, product, whole_chunk_words(filter)));
  auto params = matrix_params<MatrixIntegerParams>(product, choice, image.read_strides());
  params.tap_size = static_cast<uint32_t>(divide_up(filter.in_channels, 4));
  params.sign_flip = image.sign_flip;
  params.in_zero_point = image.zero_point;
  params.weight_zero_point = signed_zero_point(product.source);
  NNVK_ASSIGN(const TensorBinding weights, packed_chunks(context, product, &image));
  return make_dispatch(
      context, kernels::kMatrixConvolutionInteger,
      specialization<kernels::MatrixConvolutionInteger>(product, choice, image.wide, params.weight_zero_point != 0),
      {.in_x = image.binding(), .in_weights = weights, .in_bias = integer_bias(product), .out_y = write_words(product.target)},
      params);
}

}  // namespace

MatrixLayout matrix_layout(const ProductShape& shape) {
  const FilterLayout& filter = shape.filter;
  const bool bytes = !is_float_tensor(shape.type);
  MatrixLayout layout;
  layout.chunk_channels = bytes ? kByteChunk : kHalfChunk;
  layout.tap_chunks = static_cast<uint32_t>(divide_up(filter.in_channels, layout.chunk_channels));
  layout.columns = static_cast<uint32_t>(4 * divide_up(filter.out_channels, 4));
  layout.group_chunks = uint64_t{filter.taps} * layout.tap_chunks;
  layout.weight_vectors = filter.groups * layout.group_chunks * layout.columns;
  if (!bytes) return layout;
  layout.corrections = uint64_t{filter.groups} * layout.columns / 4;
  layout.scale_vectors = static_cast<uint32_t>(2 * divide_up(shape.scale_channels, 4));
  return layout;
}

uint64_t matrix_work_groups(const MatrixChoice& choice, const FilterLayout& filter, uint64_t pixels) {
  return divide_up(pixels, choice.pixels()) * filter.groups * divide_up(filter.out_channels, choice.channels());
}

uint32_t matrix_shared_bytes(const MatrixChoice& choice) {
  const uint32_t row = 16 * kMatrixChunks + 16;  // bytes of a row with its gap (matrix_convolution.comp)
  const uint32_t sums = choice.group_rows * choice.group_columns * choice.shape.rows * choice.shape.columns * 4;
  const uint32_t input_sums = choice.pixels() * 16;
  return (choice.pixels() + choice.channels()) * row + sums + input_sums;
}

std::optional<MatrixChoice> choose_matrices(const ProductShape& shape, const DeviceTraits& traits) {
  const bool bytes = !is_float_tensor(shape.type);
  const MatrixShape& matrices = bytes ? traits.byte_matrices : traits.half_matrices;
  const uint32_t lanes = traits.matrix_subgroup_size != 0 ? traits.matrix_subgroup_size : traits.subgroup_size;
  if (!matrices.exists() || lanes == 0 || kMatrixInvocations % lanes != 0) return std::nullopt;
  if (shape.window == kWindowTransposed) return std::nullopt;
  const MatrixLayout layout = matrix_layout(shape);
  if (layout.group_chunks > kMostElementsPerInvocation || layout.packed_bytes() > traits.max_storage_range) return std::nullopt;
  const bool copies = bytes && shape.scalar_input();
  if (copies && word_image_bytes(shape, whole_chunk_words(shape.filter)) > traits.max_storage_range) return std::nullopt;
  if (shape.residual && traits.max_storage_buffers < kBuffersWithResidual) return std::nullopt;
  std::optional<MatrixChoice> best;
  double least = 0;
  const uint32_t most = most_sums(bytes, traits);
  for (const Tile& tile : kTiles) {
    const uint32_t sums = tile.pixels * tile.channels;
    if (sums > most * kMatrixInvocations || (sums < kLeastSums && most >= 16)) continue;
    const auto choice = blocks_of(tile, matrices, kMatrixInvocations / lanes);
    if (!choice || matrix_shared_bytes(*choice) > traits.max_shared_memory) continue;
    const double cost = cost_of(*choice, shape, traits.machine);
    if (best && cost >= least) continue;
    best = choice;
    least = cost;
  }
  if (!best || traits.forms.contains(KernelForm::kMatrix)) return best;
  double gain = matrix_gain(traits.machine) / (bytes && traits.fast_dot_products ? kDotProductGain : 1.0);
  if (const uint64_t others = invocations_of_split_sums(shape, traits); others > 0) {
    gain *= idleness(others, traits.machine) / idleness(invocations(*best, shape), traits.machine);
  }
  if (padded_products(*best, shape) > gain * real_products(shape)) return std::nullopt;
  return best;
}

Status emit_matrices(const EmitContext& context, const Product& product, const MatrixChoice& choice) {
  const ProductShape& shape = product.shape;
  NNVK_ASSIGN(Dispatch dispatch, is_float_tensor(shape.type) ? float_dispatch(context, product, choice)
                                                             : integer_dispatch(context, product, choice));
  return add_product(context, product, std::move(dispatch), invocations(choice, shape));
}

std::string reason_of(const MatrixChoice& choice, const ProductShape&, const DeviceTraits&) {
  const MatrixShape& shape = choice.shape;
  return std::to_string(shape.rows) + " x " + std::to_string(shape.columns) + " x " + std::to_string(shape.depth) +
         " matrices, " + std::to_string(choice.pixels()) + " pixels x " + std::to_string(choice.channels()) +
         " channels to a work group of " + std::to_string(choice.group_rows * choice.group_columns) + " subgroups";
}

}  // namespace nnvk::vulkan
