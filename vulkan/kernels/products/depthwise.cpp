#include "vulkan/kernels/products/depthwise.h"

#include "depthwise_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/products/dot_products.h"
#include "vulkan/kernels/products/register_tiles.h"

namespace nnvk::vulkan {
namespace {

// kRead: a call that reads texels. kStore: a loop over the lanes that writes four words each. Both count instructions of lavapipe
// 22.3.6 for a subgroup, from its disassembly.
constexpr uint64_t kRead = 60;
constexpr uint64_t kStore = 460;

// The most neighbouring pixels of a row that one invocation computes with dot products.
constexpr uint32_t kMostDotPixels = 4;

uint64_t invocations(const DepthwiseTile& tile, const WindowParameters& w) {
  return w.batches * divide_up(w.out_height, tile.rows) * divide_up(w.out_width, tile.pixels) * divide_up(w.out_channels, 4);
}

// Returns how many input pixels a tile covers along one axis.
uint64_t extent(uint64_t outputs, int32_t stride, uint64_t filter) {
  return (outputs - 1) * static_cast<uint64_t>(stride) + filter;
}

uint64_t software_cost(const DepthwiseTile& tile, const WindowParameters& w, bool unrolled) {
  const uint64_t taps = uint64_t{w.filter_height} * w.filter_width;
  const uint64_t pixels = uint64_t{tile.pixels} * tile.rows;
  const uint64_t inputs =
      unrolled ? extent(tile.rows, w.stride_height, w.filter_height) * extent(tile.pixels, w.stride_width, w.filter_width)
               : taps * pixels;
  return invocations(tile, w) * (kRead * (inputs + taps) + 8 * taps * pixels + kStore * pixels);
}

uint32_t depthwise_registers(const DepthwiseTile& tile, const WindowParameters& w, bool integer) {
  const auto columns = static_cast<uint32_t>(extent(tile.pixels, w.stride_width, w.filter_width));
  return 4 * (columns + w.filter_width + tile.pixels + (integer ? 1 : 0)) + 8;
}

DepthwiseTile choose_for_software(const WindowParameters& w, bool unrolled, const DeviceTraits& traits) {
  DepthwiseTile best;
  uint64_t least = software_cost(best, w, unrolled);
  // The kernel unrolls tiles of several rows completely, so they need a small filter.
  const bool small = unrolled && w.dilation_height == 1 && w.filter_height <= 5 && (w.stride_height == 1 || w.stride_height == 2);
  for (const uint32_t rows : {1U, 2U, 4U}) {
    for (const uint32_t pixels : {1U, 2U, 4U, 8U}) {
      const DepthwiseTile tile{pixels, rows};
      if (rows > 1 && !small) continue;
      if (pixels * rows > 1 && invocations(tile, w) < wanted_invocations(traits.machine)) continue;
      if (const uint64_t cost = software_cost(tile, w, unrolled); cost < least) {
        least = cost;
        best = tile;
      }
    }
  }
  return best;
}

// Returns whether kernels unroll the rows of this filter.
bool is_common(const WindowParameters& w) {
  return (w.filter_width == 3 || w.filter_width == 5) && w.dilation_width == 1 && (w.stride_width == 1 || w.stride_width == 2) &&
         uint64_t{w.filter_height} * w.filter_width <= kMostElementsPerInvocation;
}

// Returns the filter as dot_depthwise.comp reads it (DotDepthwiseParams): rows act as input channels, and columns act as taps.
FilterLayout rows_as_channels(const ProductShape& shape) {
  FilterLayout layout = shape.filter;
  layout.taps = shape.geometry.filter_width;
  layout.in_channels = shape.geometry.filter_height;
  layout.stride_k = shape.geometry.filter_width * layout.stride_tap;
  return layout;
}

}  // namespace

DepthwiseTile choose_depthwise_tile(const WindowParameters& window, bool unrolled, bool integer, const DeviceTraits& traits) {
  if (traits.is_software()) return choose_for_software(window, unrolled, traits);
  for (const uint32_t pixels : {4U, 2U}) {
    const DepthwiseTile tile{pixels, 1};
    const bool fits = !unrolled || depthwise_registers(tile, window, integer) <= traits.registers;
    if (fits && window.out_width >= pixels && invocations(tile, window) >= wanted_invocations(traits.machine)) return tile;
  }
  return {};
}

DepthwiseChoice choose_depthwise(const ProductShape& shape, const DeviceTraits& traits) {
  const WindowParameters& window = shape.geometry;
  DepthwiseChoice choice;
  choice.scalar_input = shape.scalar_input() || window.depth_multiplier != 1;
  const bool common = is_common(window);
  if (common) {
    choice.filter_width = window.filter_width;
    choice.stride_width = static_cast<uint32_t>(window.stride_width);
  }
  const DepthwiseTile tile = choose_depthwise_tile(window, common, element_size(shape.type) == 1, traits);
  choice.tile_pixels = tile.pixels;
  choice.tile_rows = tile.rows;
  return choice;
}

Status emit_depthwise_tiles(const EmitContext& context, const Product& product, const DepthwiseChoice& choice) {
  const ProductShape& shape = product.shape;
  const WindowParameters& window = shape.geometry;
  const uint32_t lanes = choice.scalar_input ? 1 : 4;
  DepthwiseParams params{};
  set_geometry(product, {product.in.pixel / lanes, product.in.channel, 0}, params);
  params.row_tiles = static_cast<uint32_t>(divide_up(window.out_width, choice.tile_pixels));
  params.tile_rows = static_cast<uint32_t>(divide_up(window.out_height, choice.tile_rows));
  params.tiles = params.row_tiles * params.tile_rows * window.batches;
  params.multiplier = static_cast<uint32_t>(window.depth_multiplier);
  params.in_stride_batch = window.in_height * window.in_width * (window.in_channels / lanes);
  const std::vector<SliceStep> chunks = slice_steps(shape.filter.taps);
  const bool chunked = chunks.size() > 1;

  NNVK_ASSIGN(const TensorId packed, packed_weights(context, product.source, shape.filter, product.weights_name));
  const uint64_t count = invocations({choice.tile_pixels, choice.tile_rows}, window);
  NNVK_ASSIGN(const TensorBinding partial, partial_sums(context, count, choice.tile_pixels, chunked));
  const TensorBinding x = read_elements(product.input, shape.type, !choice.scalar_input);
  const TensorBinding weights = read_quads(packed, OperandType::kTensorFloat32);
  const TensorBinding y = write_words(product.target);
  const auto make = [&]<class Shape>(TypedKernel<Shape> kernel, const typename Shape::Bindings& bindings) {
    return make_dispatch(context, kernel,
                         {.type = element_type(shape.type),
                          .tile_pixels = choice.tile_pixels,
                          .scalar_input = choice.scalar_input,
                          .scalar_output = shape.scalar_output,
                          .filter_width = choice.filter_width,
                          .stride_width = choice.stride_width,
                          .chunked = chunked,
                          .tile_rows = choice.tile_rows,
                          .filter_height = choice.tile_rows > 1 ? window.filter_height : 1,
                          .stride_height = choice.tile_rows > 1 ? static_cast<uint32_t>(window.stride_height) : 1},
                         bindings);
  };
  auto dispatch = is_float_tensor(shape.type)
                      ? make(kernels::kDepthwiseFloat,
                             {.in_x = x, .in_weights = weights, .in_bias = *product.bias, .out_y = y, .partial = partial})
                      : make(kernels::kDepthwiseInteger, {.in_x = x,
                                                          .in_weights = weights,
                                                          .in_bias = *product.bias,
                                                          .out_y = y,
                                                          .in_scales = product.scales,
                                                          .partial = partial});
  dispatch.label = product.label;
  dispatch.choice = product.choice;
  dispatch.multiply_adds = product.multiply_adds / chunks.size();
  return add_steps(context, std::move(dispatch), params, count, chunks);
}

std::string reason_of(const DepthwiseChoice& choice, const ProductShape& shape, const DeviceTraits& traits) {
  const uint64_t count = invocations({choice.tile_pixels, choice.tile_rows}, shape.geometry);
  const std::string filter = choice.filter_width == 0 ? "any filter width, stride and dilation"
                                                      : "rows of " + std::to_string(choice.filter_width) +
                                                            " taps unrolled, stride " + std::to_string(choice.stride_width);
  return counted(choice.tile_pixels, "pixel") + " of " + counted(choice.tile_rows, "row") + ": " +
         pixels_reason(choice.tile_pixels * choice.tile_rows, UINT64_MAX, count, traits) + "; " + filter +
         access_reason(choice.scalar_input, shape);
}

std::optional<DotDepthwiseChoice> choose_dot_depthwise(const ProductShape& shape, const DeviceTraits& traits) {
  const WindowParameters& window = shape.geometry;
  if (window.depth_multiplier != 1) return std::nullopt;
  if (!fits_words(shape, rows_as_channels(shape), shape.filter.columns, traits)) return std::nullopt;
  const DepthwiseChoice plain = choose_depthwise(shape, traits);
  const uint64_t row_sets = uint64_t{window.batches} * window.out_height * shape.filter.columns;
  return DotDepthwiseChoice{choose_tile_pixels(window.out_width, row_sets, kMostDotPixels, traits), plain.filter_width,
                            plain.stride_width};
}

Status emit_dot_depthwise(const EmitContext& context, const Product& product, const DotDepthwiseChoice& choice) {
  const ProductShape& shape = product.shape;
  const WindowParameters& window = shape.geometry;
  const FilterLayout filter = rows_as_channels(shape);
  NNVK_ASSIGN(const WordImage image, input_in_words(context, product, filter.columns));
  NNVK_ASSIGN(const TensorId packed, packed_dot_weights(context, product, filter, image));
  DotDepthwiseParams params{};
  set_geometry(product, image.strides, params);
  params.row_tiles = static_cast<uint32_t>(divide_up(window.out_width, choice.tile_pixels));
  params.tiles = params.row_tiles * window.out_height * window.batches;
  params.in_stride_batch = window.in_height * window.in_width * image.strides.pixel;
  params.row_words = dot_layout(filter, shape.scale_channels).words;
  params.in_zero_point = image.zero_point;
  params.sign_flip = image.sign_flip;
  params.weight_zero_point = signed_zero_point(product.source);
  auto dispatch = make_dispatch(context, kernels::kDotDepthwise,
                                {.type = element_type(shape.type),
                                 .tile_pixels = choice.tile_pixels,
                                 .scalar_output = shape.scalar_output,
                                 .filter_width = choice.filter_width,
                                 .stride_width = choice.stride_width,
                                 .weight_offset = params.weight_zero_point != 0},
                                {.in_x = read_scalars(image.tensor, OperandType::kTensorInt32),
                                 .in_weights = read_bytes16(packed),
                                 .in_bias = *product.bias,
                                 .out_y = write_words(product.target)},
                                params);
  return add_product(context, product, std::move(dispatch), uint64_t{params.tiles} * filter.columns);
}

std::string reason_of(const DotDepthwiseChoice& choice, const ProductShape&, const DeviceTraits&) {
  return "integer dot products are preferred; " + std::to_string(choice.tile_pixels) + " pixels of a row by work";
}

}  // namespace nnvk::vulkan
