// CONV_2D, and the dense emitter behind every layer that is an implicit matrix product.
#include "convolution_kernels.h"
#include "core/operations/window_parameters.h"
#include "shaders/convolution_params.h"
#include "vulkan/kernels/convolution_choice.h"
#include "vulkan/kernels/convolution_weights.h"
#include "vulkan/kernels/dense_convolution.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

constexpr size_t kInput = 0;
constexpr size_t kBias = 2;

std::string layer_label(const EmitContext& context, const WindowParameters& window) {
  return dispatch_label(context) + ", filter " + std::to_string(window.filter_height) + "x" +
         std::to_string(window.filter_width) + "x" + std::to_string(window.in_channels) + " stride " +
         std::to_string(window.stride_height);
}

Status emit_conv(const EmitContext& context, DispatchList& dispatches) {
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const WindowParameters window, conv_parameters(view.view()));
  return emit_dense_convolution(context, window, false, dispatches);
}

constexpr KernelEmitter kEmitters[] = {{OperationCode::kConv2d, check_filter_fits, emit_conv}};

}  // namespace

Status emit_dense_convolution(const EmitContext& context, const WindowParameters& window, bool transposed,
                              DispatchList& dispatches) {
  const OperandInfo& input = context.input(kInput);
  const OperandInfo& output = context.output(0);
  const uint64_t pixels = uint64_t{window.batches} * window.out_height * window.out_width;
  if (pixels == 0) return {};
  const bool integer = !is_float_tensor(output.type);
  const bool residual = context.node.residual != kNoTensor;
  const auto own = static_cast<FusedActivation>(window.activation);
  const auto element_bytes = static_cast<uint32_t>(element_size(output.type));
  const ConvolutionChoice choice = choose_convolution(window, transposed, element_bytes, context.traits);
  const FilterLayout filter = dense_filter(window.out_channels, window.filter_height * window.filter_width, window.in_channels);

  ConvolutionParams params{};
  set_geometry(window, choice.scalar_input, params);
  set_limits(context, own, params);
  if (residual) {
    const ActivationBounds before = float_activation_bounds(own);
    const ActivationBounds after = float_activation_bounds(context.node.fused_activation);
    params.lo = before.lo;
    params.hi = before.hi;
    params.residual_lo = after.lo;
    params.residual_hi = after.hi;
  }
  params.pixels = static_cast<uint32_t>(pixels);
  params.in_steps = choice.scalar_input ? window.in_channels : window.in_channels / 4;
  params.weight_columns = filter.columns;
  params.channel_tiles = filter.columns / kConvolutionTileVectors;

  Dispatch dispatch;
  dispatch.kernel = integer ? kernels::kConvolutionInteger : kernels::kConvolutionFloat;
  dispatch.specialization = {{kConvolutionElementId, element_type(input.type)},
                             {kConvolutionTilePixelsId, choice.tile_pixels},
                             {kConvolutionScalarInputId, choice.scalar_input ? 1U : 0U},
                             {kConvolutionScalarOutputId, choice.scalar_output ? 1U : 0U},
                             {kConvolutionWindowId, choice.window}};
  if (!integer) dispatch.specialization.push_back({kConvolutionResidualId, residual ? 1U : 0U});
  dispatch.set_params(params);
  const uint64_t invocations = divide_up(pixels, choice.tile_pixels) * params.channel_tiles;
  NNVK_ASSIGN(dispatch.groups, flat_groups(invocations, kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatch.node = context.node_index;
  dispatch.label = layer_label(context, window);
  // A transposed convolution multiplies every input pixel with the whole filter, an ordinary one every output pixel.
  const uint64_t positions = transposed ? uint64_t{window.batches} * window.in_height * window.in_width : pixels;
  dispatch.multiply_adds = positions * filter.taps * window.in_channels * window.out_channels;

  NNVK_ASSIGN(const TensorId weights, packed_weights(context, filter, dispatches));
  const TensorId target = result_target(context, choice.narrow, dispatches);
  const TensorId x = context.input_id(kInput);
  dispatch.bindings = {choice.scalar_input ? read_scalars(x, input.type) : read_quads(x, input.type),
                       read_quads(weights, OperandType::kTensorFloat32),
                       read_quads(context.input_id(kBias), context.input(kBias).type), write_words(target)};
  if (integer) {
    dispatch.bindings.push_back(scales_table(context, window.out_channels, dispatches));
  } else {
    // Without a residual the binding is never read; the input stands in for it.
    const TensorId added = residual ? context.node.residual : x;
    dispatch.bindings.push_back(choice.scalar_output ? read_scalars(added, output.type) : read_quads(added, output.type));
  }
  dispatches.add(std::move(dispatch));
  return choice.narrow ? emit_narrowing(context, target, dispatches) : Status{};
}

std::span<const KernelEmitter> convolution_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
