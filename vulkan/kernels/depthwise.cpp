// DEPTHWISE_CONV_2D, and equivalent grouped convolutions.
#include "core/operations/parameters/window_parameters.h"
#include "depthwise_kernels.h"
#include "vulkan/kernels/convolution_choice.h"
#include "vulkan/kernels/convolution_reason.h"
#include "vulkan/kernels/convolution_weights.h"
#include "vulkan/kernels/depthwise_convolution.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

Status emit_depthwise(const EmitContext& context) {
  NNVK_ASSIGN(const WindowParameters window, context.decode(window_parameters));
  return emit_depthwise_convolution(context, window, true);
}

constexpr KernelEmitter kEmitters[] = {{OperationCode::kDepthwiseConv2d, check_filter_fits, emit_depthwise}};

}  // namespace

Status emit_depthwise_convolution(const EmitContext& context, const WindowParameters& window, bool channels_last) {
  using namespace convolution;
  NNVK_ASSIGN(const bool done, emit_dot_depthwise(context, window, channels_last));
  if (done) return {};
  const OperandInfo& input = context.input(kImage);
  const OperandInfo& output = context.output(kOutput);
  if (element_count(output) == 0) return {};
  const auto element_bytes = static_cast<uint32_t>(element_size(output.type));
  const DepthwiseChoice choice = choose_depthwise(window, element_bytes, context.traits);
  const uint32_t taps = window.filter_height * window.filter_width;
  const FilterLayout filter = depthwise_filter(window.out_channels, taps, channels_last);

  DepthwiseParams params{};
  set_geometry(window, choice.scalar_input, params);
  set_limits(context, window.activation, params);
  params.row_tiles = static_cast<uint32_t>(divide_up(window.out_width, choice.tile_pixels));
  params.tile_rows = static_cast<uint32_t>(divide_up(window.out_height, choice.tile_rows));
  params.tiles = params.row_tiles * params.tile_rows * window.batches;
  params.multiplier = static_cast<uint32_t>(window.depth_multiplier);
  params.in_stride_batch =
      window.in_height * window.in_width * (choice.scalar_input ? window.in_channels : window.in_channels / 4);
  const std::vector<SliceStep> chunks = slice_steps(taps);
  const bool chunked = chunks.size() > 1;

  NNVK_ASSIGN(const TensorId packed, packed_weights(context, weight_source(context, kFilter), filter, "weights"));
  const TensorId target = result_target(context, choice.narrow);
  const TensorId image = context.input_id(kImage);
  const TensorBinding x = read_elements(image, input.type, !choice.scalar_input);
  const TensorBinding weights = read_quads(packed, OperandType::kTensorFloat32);
  const TensorBinding bias = read_quads(context.input_id(kBias), context.input(kBias).type);
  const TensorBinding y = write_words(target);
  const uint64_t invocations = uint64_t{params.tiles} * filter.columns;
  NNVK_ASSIGN(const TensorBinding partial, partial_sums(context, invocations, choice.tile_pixels, chunked));
  const auto make = [&]<class Shape>(TypedKernel<Shape> kernel, const typename Shape::Bindings& bindings) {
    return make_dispatch(context, kernel,
                         {.type = element_type(input.type),
                          .tile_pixels = choice.tile_pixels,
                          .scalar_input = choice.scalar_input,
                          .scalar_output = choice.scalar_output,
                          .filter_width = choice.filter_width,
                          .stride_width = choice.stride_width,
                          .chunked = chunked,
                          .tile_rows = choice.tile_rows,
                          .filter_height = choice.tile_rows > 1 ? window.filter_height : 1,
                          .stride_height = choice.tile_rows > 1 ? static_cast<uint32_t>(window.stride_height) : 1},
                         bindings);
  };
  auto dispatch =
      is_float_tensor(output.type)
          ? make(kernels::kDepthwiseFloat, {.in_x = x, .in_weights = weights, .in_bias = bias, .out_y = y, .partial = partial})
          : make(kernels::kDepthwiseInteger, {.in_x = x,
                                              .in_weights = weights,
                                              .in_bias = bias,
                                              .out_y = y,
                                              .in_scales = scales_table(context, filter),
                                              .partial = partial});
  dispatch.label += ", filter " + std::to_string(window.filter_height) + "x" + std::to_string(window.filter_width) + " stride " +
                    std::to_string(window.stride_height);
  dispatch.choice = reason_of(choice, invocations, context.traits);
  dispatch.multiply_adds = element_count(output) * filter.taps / chunks.size();
  NNVK_TRY(add_steps(context, std::move(dispatch), params, invocations, chunks));
  return choice.narrow ? emit_narrowing(context, target) : Status{};
}

std::span<const KernelEmitter> depthwise_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
