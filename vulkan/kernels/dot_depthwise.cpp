// The emitter for dot_depthwise.comp.
#include "dot_convolution_kernels.h"
#include "vulkan/kernels/convolution_choice.h"
#include "vulkan/kernels/depthwise_convolution.h"
#include "vulkan/kernels/dot_choice.h"
#include "vulkan/kernels/dot_packing.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/product_tile.h"

namespace nnvk::vulkan {
namespace {

// Rows of the filter as input channels, its columns as taps (DotDepthwiseParams).
FilterLayout rows_as_channels(const WindowParameters& window, bool channels_last) {
  FilterLayout layout = depthwise_filter(window.out_channels, window.filter_height * window.filter_width, channels_last);
  layout.taps = window.filter_width;
  layout.in_channels = window.filter_height;
  layout.stride_k = window.filter_width * layout.stride_tap;
  return layout;
}

// Neighbouring pixels of a row per invocation.
constexpr uint32_t kMostTilePixels = 4;

}  // namespace

Result<bool> emit_dot_depthwise(const EmitContext& context, const WindowParameters& window, bool channels_last) {
  using namespace convolution;
  const OperandInfo& input = context.input(kImage);
  const OperandInfo& output = context.output(kOutput);
  if (is_float_tensor(output.type) || element_count(output) == 0) return false;
  // Only if requested, because rows must be converted to words first. Mesa 22.3.6's compiler for Navi 21 expects three times the
  // cycles of depthwise.comp for a 3x3 filter and 4 pixels (8241 against 2755).
  if (!context.traits.forms.contains(KernelForm::kDot)) return false;
  const DepthwiseChoice form = choose_depthwise(window, 1, context.traits);
  DotWeights weights;
  weights.filter = rows_as_channels(window, channels_last);
  weights.layout = dot_layout(weights.filter, 4 * weights.filter.columns);
  const uint32_t pixel_words = weights.filter.columns;
  const uint64_t image_pixels = uint64_t{window.batches} * window.in_height * window.in_width;
  const bool planar = is_planar(window.nchw, window.in_height, window.in_width, window.in_channels);
  const DotWork work{.taps = window.filter_width,
                     .image_bytes = image_pixels * pixel_words * 4,
                     .whole_words = !planar && window.in_channels % 4 == 0};
  if (window.depth_multiplier != 1 || !choose_dot(weights.filter, weights.layout, work, context.traits)) return false;

  DotImage image{context.input_id(kImage), input.type, input.zero_point};
  if (!work.whole_words) {
    NNVK_ASSIGN(image, copied_into_words(context, image, work.image_bytes, image_in_words(window, 1, pixel_words)));
  }
  weights.source = weight_source(context, kFilter);
  weights.scales = scales_table(context, depthwise_filter(window.out_channels, 1, channels_last));
  weights.name = "dot weights";
  NNVK_ASSIGN(const TensorId packed, packed_dot_weights(context, weights, image));

  const uint64_t row_sets = uint64_t{window.batches} * window.out_height * weights.filter.columns;
  const uint32_t tile_pixels = choose_product_pixels(window.out_width, row_sets, kMostTilePixels, context.traits);
  DotDepthwiseParams params{};
  set_geometry(window, false, params);
  set_limits(context, window.activation, params);
  params.row_tiles = static_cast<uint32_t>(divide_up(window.out_width, tile_pixels));
  params.tiles = params.row_tiles * window.out_height * window.batches;
  params.in_stride_pixel = pixel_words;
  params.in_stride_batch = window.in_height * window.in_width * pixel_words;
  params.row_words = weights.layout.words;
  params.in_zero_point = image.signed_zero_point();
  params.sign_flip = image.sign_flip();
  params.weight_zero_point = signed_zero_point(weights.source);
  const TensorId target = result_target(context, form.narrow);
  auto dispatch = make_dispatch(context, kernels::kDotDepthwise,
                                {.type = element_type(output.type),
                                 .tile_pixels = tile_pixels,
                                 .scalar_output = form.scalar_output,
                                 .filter_width = form.filter_width,
                                 .stride_width = form.stride_width,
                                 .weight_offset = params.weight_zero_point != 0},
                                {.in_x = read_scalars(image.tensor, OperandType::kTensorInt32),
                                 .in_weights = read_bytes16(packed),
                                 .in_bias = read_quads(context.input_id(kBias), OperandType::kTensorInt32),
                                 .out_y = write_words(target)},
                                params);
  dispatch.label += ", filter " + std::to_string(window.filter_height) + "x" + std::to_string(window.filter_width) + " stride " +
                    std::to_string(window.stride_height) + ", dot products";
  dispatch.multiply_adds = element_count(output) * window.filter_height * window.filter_width;
  dispatch.choice = "integer dot products are preferred; " + std::to_string(tile_pixels) + " pixels of a row by work";
  NNVK_TRY(add_flat(context, std::move(dispatch), uint64_t{params.tiles} * weights.filter.columns));
  if (form.narrow) NNVK_TRY(emit_narrowing(context, target));
  return true;
}

}  // namespace nnvk::vulkan
