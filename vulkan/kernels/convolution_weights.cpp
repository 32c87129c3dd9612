// Weight packing, requantisation tables and result narrowing of the convolution family.
#include "vulkan/kernels/convolution_weights.h"

#include <string>
#include <vector>

#include "convolution_kernels.h"
#include "core/base/fixed_point.h"
#include "shaders/convolution_params.h"

namespace nnvk::vulkan {
namespace {

constexpr size_t kFilter = 1;

// Float scale of output channel k of the filter.
float filter_scale(const OperandInfo& filter, uint32_t k) {
  if (filter.channel_quant == nullptr) return filter.scale;
  const std::vector<float>& scales = filter.channel_quant->scales;
  return k < scales.size() ? scales[k] : 0.0F;
}

// A left shift beyond 31 bits leaves nothing; a shader's shift must stay below 32.
FixedPointMultiplier for_shader(FixedPointMultiplier multiplier) {
  return multiplier.exponent > 31 ? FixedPointMultiplier{} : multiplier;
}

}  // namespace

FilterLayout dense_filter(uint32_t out_channels, uint32_t taps, uint32_t in_channels) {
  FilterLayout layout;
  layout.taps = taps;
  layout.in_channels = in_channels;
  layout.out_channels = out_channels;
  layout.columns = static_cast<uint32_t>(kConvolutionTileVectors * divide_up(out_channels, 4 * kConvolutionTileVectors));
  layout.stride_channel = taps * in_channels;
  layout.stride_tap = in_channels;
  layout.stride_k = 1;
  return layout;
}

FilterLayout depthwise_filter(uint32_t out_channels, uint32_t taps) {
  FilterLayout layout;
  layout.taps = taps;
  layout.out_channels = out_channels;
  layout.columns = static_cast<uint32_t>(divide_up(out_channels, 4));
  layout.stride_channel = 1;
  layout.stride_tap = out_channels;
  return layout;
}

Status check_filter_fits(const Plan& plan, const PlanNode& node, const DeviceTraits& traits) {
  const Shape& shape = plan.tensors[node.inputs[kFilter]].info.shape;
  if (!shape.fully_known() || shape.element_count() == 0) return {};
  // Output channels are rounded up to the tile. A depthwise filter has them last and is far from any limit either way.
  const uint64_t tile = 4 * kConvolutionTileVectors;
  const uint64_t bytes = 4 * (shape.element_count() / shape[0]) * (tile * divide_up(shape[0], tile));
  if (bytes <= traits.max_storage_range) return {};
  return fail(Code::kOpFailed, "the filter " + shape.to_string() + " takes " + std::to_string(bytes) +
                                   " bytes when packed, more than the device's storage buffers hold (" +
                                   std::to_string(traits.max_storage_range) + ")");
}

Result<TensorId> packed_weights(const EmitContext& context, const FilterLayout& layout, DispatchList& dispatches) {
  const OperandInfo& filter = context.input(kFilter);
  const bool integer = !is_float_tensor(filter.type);
  ConvolutionPackParams params{};
  params.vectors = layout.taps * layout.in_channels * layout.columns;
  params.columns = layout.columns;
  params.out_channels = layout.out_channels;
  params.in_channels = layout.in_channels;
  params.stride_channel = layout.stride_channel;
  params.stride_tap = layout.stride_tap;
  params.stride_k = layout.stride_k;
  params.zero_point = filter.channel_quant == nullptr ? filter.zero_point : 0;

  Dispatch dispatch;
  dispatch.kernel = integer ? kernels::kConvolutionPackInteger : kernels::kConvolutionPackFloat;
  dispatch.specialization = {{kConvolutionElementId, element_type(filter.type)}};
  dispatch.set_params(params);
  dispatch.node = context.node_index;
  dispatch.label = operation_name(context.node.code) + " weights";
  NNVK_ASSIGN(dispatch.groups, flat_groups(params.vectors, kernel_info(dispatch.kernel).local_size[0], context.traits));
  const TensorId source = context.input_id(kFilter);
  return dispatches.packed(context.node_index, "weights", source, layout.packed_bytes(), [&](TensorId target) {
    dispatch.bindings = {read_scalars(source, filter.type), write_words(target)};
    dispatches.add(dispatch);
  });
}

TensorBinding scales_table(const EmitContext& context, uint32_t out_channels, DispatchList& dispatches) {
  const TensorId scales = dispatches.table(context.node_index, "scales", [&] {
    const OperandInfo& filter = context.input(kFilter);
    const auto padded = static_cast<uint32_t>(4 * divide_up(out_channels, 4));
    std::vector<int32_t> table(2 * size_t{padded});
    for (uint32_t k = 0; k < out_channels; ++k) {
      const float product = context.input(0).scale * filter_scale(filter, k);
      const FixedPointMultiplier multiplier = for_shader(decompose_multiplier(double{product} / double{context.output(0).scale}));
      table[k] = multiplier.mantissa;
      table[padded + k] = multiplier.exponent;
    }
    return to_bytes(table);
  });
  return read_quads(scales, OperandType::kTensorInt32);
}

TensorId result_target(const EmitContext& context, bool narrow, DispatchList& dispatches) {
  if (!narrow) return context.output_id(0);
  return dispatches.scratch(16 * divide_up(element_count(context.output(0)), 4));
}

Status emit_narrowing(const EmitContext& context, TensorId words, DispatchList& dispatches) {
  const OperandInfo& output = context.output(0);
  const bool integer = !is_float_tensor(output.type);
  const OperandType wide = integer ? OperandType::kTensorInt32 : OperandType::kTensorFloat32;
  ConvolutionNarrowParams params{};
  params.vectors = static_cast<uint32_t>(divide_up(element_count(output), 4));
  Dispatch dispatch;
  dispatch.kernel = integer ? kernels::kConvolutionNarrowInteger : kernels::kConvolutionNarrowFloat;
  dispatch.specialization = {{kConvolutionElementId, element_type(output.type)}};
  dispatch.set_params(params);
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context) + " narrowing";
  dispatch.bindings = {read_quads(words, wide), write_words(context.output_id(0))};
  NNVK_ASSIGN(dispatch.groups, flat_groups(params.vectors, kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatches.add(std::move(dispatch));
  return {};
}

}  // namespace nnvk::vulkan
