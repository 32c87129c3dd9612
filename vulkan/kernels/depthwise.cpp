// DEPTHWISE_CONV_2D, and grouped convolutions that are one.
#include "core/operations/parameters/window_parameters.h"
#include "depthwise_kernels.h"
#include "shaders/convolution_params.h"
#include "shaders/depthwise_params.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/convolution_choice.h"
#include "vulkan/kernels/convolution_weights.h"
#include "vulkan/kernels/depthwise_convolution.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

constexpr size_t kInput = 0;
constexpr size_t kBias = 2;

Status emit_depthwise(const EmitContext& context, DispatchList& dispatches) {
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const WindowParameters window, depthwise_parameters(view.view()));
  return emit_depthwise_convolution(context, window, true, dispatches);
}

constexpr KernelEmitter kEmitters[] = {{OperationCode::kDepthwiseConv2d, check_filter_fits, emit_depthwise}};

}  // namespace

Status emit_depthwise_convolution(const EmitContext& context, const WindowParameters& window, bool channels_last,
                                  DispatchList& dispatches) {
  const OperandInfo& input = context.input(kInput);
  const OperandInfo& output = context.output(0);
  if (element_count(output) == 0) return {};
  const bool integer = !is_float_tensor(output.type);
  const auto element_bytes = static_cast<uint32_t>(element_size(output.type));
  const DepthwiseChoice choice = choose_depthwise(window, element_bytes, context.traits);
  const uint32_t taps = window.filter_height * window.filter_width;
  const FilterLayout filter = depthwise_filter(window.out_channels, taps, channels_last);

  DepthwiseParams params{};
  set_geometry(window, choice.scalar_input, params);
  set_limits(context, static_cast<FusedActivation>(window.activation), params);
  params.row_tiles = static_cast<uint32_t>(divide_up(window.out_width, choice.tile_pixels));
  params.tiles = params.row_tiles * window.out_height * window.batches;
  params.multiplier = static_cast<uint32_t>(window.depth_multiplier);
  params.in_stride_batch =
      window.in_height * window.in_width * (choice.scalar_input ? window.in_channels : window.in_channels / 4);
  const std::vector<SliceStep> chunks = slice_steps(taps, kMostElementsPerInvocation, kStepFoldFirst);
  const bool chunked = chunks.size() > 1;

  Dispatch dispatch;
  dispatch.kernel = integer ? kernels::kDepthwiseInteger.id : kernels::kDepthwiseFloat.id;
  dispatch.specialization = {{kConvolutionElementId, element_type(input.type)},
                             {kConvolutionTilePixelsId, choice.tile_pixels},
                             {kConvolutionScalarInputId, choice.scalar_input ? 1U : 0U},
                             {kConvolutionScalarOutputId, choice.scalar_output ? 1U : 0U},
                             {kDepthwiseFilterWidthId, choice.filter_width},
                             {kDepthwiseStrideWidthId, choice.stride_width},
                             {kDepthwiseChunkedId, chunked ? 1U : 0U}};
  const uint64_t invocations = uint64_t{params.tiles} * filter.columns;
  NNVK_ASSIGN(dispatch.groups, flat_groups(invocations, kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context) + ", filter " + std::to_string(window.filter_height) + "x" +
                   std::to_string(window.filter_width) + " stride " + std::to_string(window.stride_height);
  dispatch.multiply_adds = element_count(output) * filter.taps / chunks.size();

  NNVK_ASSIGN(const TensorId weights, packed_weights(context, weight_source(context, 1), filter, "weights", dispatches));
  const TensorId target = result_target(context, choice.narrow, dispatches);
  const TensorId x = context.input_id(kInput);
  dispatch.bindings = {choice.scalar_input ? read_scalars(x, input.type) : read_quads(x, input.type),
                       read_quads(weights, OperandType::kTensorFloat32),
                       read_quads(context.input_id(kBias), context.input(kBias).type), write_words(target)};
  if (integer) dispatch.bindings.push_back(scales_table(context, 1, window.out_channels, dispatches));
  NNVK_ASSIGN(const TensorBinding partial, partial_sums(context, invocations, choice.tile_pixels, chunked, dispatches));
  dispatch.bindings.push_back(partial);
  for (const SliceStep& chunk : chunks) {
    params.chunk_begin = chunk.begin;
    params.chunk_end = chunk.end;
    dispatch.set_params(params);
    dispatches.add(dispatch);
  }
  return choice.narrow ? emit_narrowing(context, target, dispatches) : Status{};
}

std::span<const KernelEmitter> depthwise_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
