#include "vulkan/kernels/products/weights.h"

#include <vector>

#include "convolution_kernels.h"
#include "core/operations/operation_enumerators.h"

namespace nnvk::vulkan {
namespace {

// Returns the float scale of output channel k of the filter.
float filter_scale(const OperandInfo& filter, uint32_t k) {
  if (filter.channel_quant == nullptr) return filter.scale;
  const std::vector<float>& scales = filter.channel_quant->scales;
  return k < scales.size() ? scales[k] : 0.0F;
}

}  // namespace

FixedPointMultiplier shader_multiplier(FixedPointMultiplier multiplier) {
  return multiplier.exponent > 31 ? FixedPointMultiplier{} : multiplier;
}

uint32_t packed_columns(uint32_t group_channels) {
  const uint32_t vectors = (group_channels + 3) / 4;
  return vectors <= 1 ? 1 : kConvolutionTileVectors * ((vectors + kConvolutionTileVectors - 1) / kConvolutionTileVectors);
}

FilterLayout dense_filter(uint32_t groups, uint32_t out_channels, uint32_t taps, uint32_t in_channels) {
  FilterLayout layout;
  layout.groups = groups;
  layout.taps = taps;
  layout.in_channels = in_channels;
  layout.out_channels = out_channels;
  layout.columns = packed_columns(out_channels);
  layout.stride_group = out_channels * taps * in_channels;
  layout.stride_channel = taps * in_channels;
  layout.stride_tap = in_channels;
  layout.stride_k = 1;
  return layout;
}

FilterLayout depthwise_filter(uint32_t out_channels, uint32_t taps, bool channels_last) {
  FilterLayout layout;
  layout.taps = taps;
  layout.out_channels = out_channels;
  layout.columns = static_cast<uint32_t>(divide_up(out_channels, 4));
  layout.stride_channel = channels_last ? 1 : taps;
  layout.stride_tap = channels_last ? out_channels : 1;
  return layout;
}

WeightSource weight_source(const EmitContext& context, size_t index) {
  const OperandInfo& info = context.input(index);
  return {context.input_id(index), info.type, info.channel_quant == nullptr ? info.zero_point : 0};
}

Status check_filter_fits(const Plan& plan, const PlanNode& node, const DeviceTraits& traits) {
  return check_matrices_fit(plan, node, traits, convolution::kFilter, convolution::kFilter);
}

Status check_matrices_fit(const Plan& plan, const PlanNode& node, const DeviceTraits& traits, size_t first, size_t last) {
  for (size_t i = first; i <= last && i < node.inputs.size(); ++i) {
    const PlanTensor& weights = plan.tensors[node.inputs[i]];
    const Shape& shape = weights.info.shape;
    if (weights.role == TensorRole::kOmitted || shape.rank() == 0 || !shape.fully_known() || shape.element_count() == 0) continue;
    // Packing rounds output channels up to the tile. With groups, it may need a vector for each output channel. Depthwise
    // filters, whose first dimension is not the output channels, are far below any limit.
    const bool grouped = node.code == OperationCode::kGroupedConv2d;
    const uint64_t channels = uint64_t{4} * (grouped ? shape[0] : packed_columns(shape[0]));
    const uint64_t bytes = 4 * (shape.element_count() / shape[0]) * channels;
    NNVK_TRY(check_storage("the filter " + shape.to_string() + ", packed,", bytes, traits));
  }
  return {};
}

Result<TensorId> packed_weights(const EmitContext& context, const WeightSource& source, const FilterLayout& layout,
                                const std::string& name) {
  NNVK_TRY(check_storage("the packed form of the " + name, layout.packed_bytes(), context.traits));
  ConvolutionPackParams params{};
  params.vectors = static_cast<uint32_t>(layout.packed_bytes() / 16);
  params.columns = layout.columns;
  params.group_rows = layout.taps * layout.in_channels;
  set_filter(layout, params);
  params.zero_point = source.zero_point;

  return context.dispatches.packed(name, source.tensor, layout.packed_bytes(), [&](TensorId target) {
    const bool floats = is_float_tensor(source.type);
    return add_packing(context, floats ? kernels::kConvolutionPackFloat : kernels::kConvolutionPackInteger, source,
                       {target, name}, params);
  });
}

TensorBinding scales_table(const EmitContext& context, const FilterLayout& layout) {
  const OperandInfo& filter = context.input(convolution::kFilter);
  const size_t padded = 4 * divide_up(layout.out_channels, 4);
  std::vector<int32_t> table(2 * padded * layout.groups);
  for (uint32_t channel = 0; channel < layout.groups * layout.out_channels; ++channel) {
    const float product = context.input(convolution::kImage).scale * filter_scale(filter, channel);
    const FixedPointMultiplier multiplier =
        shader_multiplier(decompose_multiplier(double{product} / double{context.output(convolution::kOutput).scale}));
    const size_t at = channel / layout.out_channels * padded + channel % layout.out_channels;
    table[at] = multiplier.mantissa;
    table[layout.groups * padded + at] = multiplier.exponent;
  }
  return read_quads(context.dispatches.table("scales", to_bytes(table)), OperandType::kTensorInt32);
}

TensorBinding scales_table(const EmitContext& context, FixedPointMultiplier multiplier, uint32_t channels,
                           const std::string& name) {
  const FixedPointMultiplier shared = shader_multiplier(multiplier);
  const size_t padded = 4 * divide_up(channels, 4);
  std::vector<int32_t> table(padded, shared.mantissa);
  table.insert(table.end(), padded, shared.exponent);
  return read_quads(context.dispatches.table(name, to_bytes(table)), OperandType::kTensorInt32);
}

Result<TensorBinding> partial_sums(const EmitContext& context, uint64_t invocations, uint32_t vectors, bool chunked) {
  constexpr uint64_t kVectorBytes = 16;
  if (!chunked) return read_write(context.dispatches.scratch(kVectorBytes));
  const uint32_t local_size = kernel_info(kernels::kConvolutionFloat.id).local_size[0];  // of all convolution kernels
  NNVK_ASSIGN(const auto groups, flat_groups(invocations, local_size, context.traits));
  const uint64_t bytes = uint64_t{groups[0]} * groups[1] * local_size * vectors * kVectorBytes;
  if (bytes <= context.traits.max_storage_range) return read_write(context.dispatches.scratch(bytes));
  return beyond_device("the sums of " + dispatch_label(context) + " are too long for one dispatch and take " +
                       std::to_string(bytes) + " bytes between dispatches, more than the device's storage buffers hold (" +
                       std::to_string(context.traits.max_storage_range) + ")");
}

TensorId result_target(const EmitContext& context, bool narrow) {
  if (!narrow) return context.output_id(convolution::kOutput);
  return context.dispatches.scratch(16 * divide_up(element_count(context.output(convolution::kOutput)), 4));
}

Status emit_narrowing(const EmitContext& context, TensorId words, size_t index) {
  const OperandInfo& output = context.output(index);
  const bool integer = !is_float_tensor(output.type);
  const OperandType wide = integer ? OperandType::kTensorInt32 : OperandType::kTensorFloat32;
  ConvolutionNarrowParams params{};
  params.vectors = static_cast<uint32_t>(divide_up(element_count(output), 4));
  auto dispatch = make_dispatch(context, integer ? kernels::kConvolutionNarrowInteger : kernels::kConvolutionNarrowFloat,
                                {.type = element_type(output.type)},
                                {.in_x = read_quads(words, wide), .out_y = write_words(context.output_id(index))}, params);
  dispatch.label += " narrowing";
  return add_flat(context, std::move(dispatch), params.vectors);
}

}  // namespace nnvk::vulkan
