// Emitters of products and similar layers share these functions. They pack weights, make requantisation tables, set fields for
// windows and limits in parameter structs, and narrow results that kernels cannot write in place.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/fixed_point.h"
#include "core/operations/parameters/window_parameters.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// Returns how many vectors of four output channels a row of packed weights has, for a group of `group_channels` output channels.
uint32_t packed_columns(uint32_t group_channels);

// How kernels address the filter tensor: weight(group, n, tap, k) is element group * stride_group + n * stride_channel +
// tap * stride_tap + k * stride_k.
struct FilterLayout {
  uint32_t groups = 1;
  uint32_t taps = 1;
  uint32_t in_channels = 1;   // k per tap
  uint32_t out_channels = 1;  // per group
  uint32_t columns = 1;       // vectors of four output channels per row of the packed weights
  uint32_t stride_group = 0;
  uint32_t stride_channel = 1;
  uint32_t stride_tap = 1;
  uint32_t stride_k = 1;
  uint64_t packed_bytes() const { return uint64_t{groups} * taps * in_channels * columns * 16; }
};

// Returns the filter [groups * out_channels, taps..., in_channels] of CONV_2D, GROUPED_CONV_2D, TRANSPOSE_CONV_2D, and of
// FULLY_CONNECTED with one tap. Channels are per group.
FilterLayout dense_filter(uint32_t groups, uint32_t out_channels, uint32_t taps, uint32_t in_channels);
// Returns the filter [1, taps..., out_channels] of DEPTHWISE_CONV_2D, or with `channels_last` false [out_channels, taps..., 1] of
// GROUPED_CONV_2D with one input channel per group.
FilterLayout depthwise_filter(uint32_t out_channels, uint32_t taps, bool channels_last);

struct WeightSource {
  TensorId tensor = kNoTensor;
  OperandType type{};
  int32_t zero_point = 0;  // 8-bit types
};
// Returns input `index` of the node; per-channel weights have zero point 0.
WeightSource weight_source(const EmitContext& context, size_t index);

// Serves as KernelEmitter::support: returns RESOURCE_EXHAUSTED_PERSISTENT if a storage buffer cannot hold the declared filter,
// packed.
Status check_filter_fits(const Plan& plan, const PlanNode& node, const DeviceTraits& traits);
// Checks the same for the present inputs among `first` to `last`: matrices of [outputs, depth].
Status check_matrices_fit(const Plan& plan, const PlanNode& node, const DeviceTraits& traits, size_t first, size_t last);

// Returns the weights minus their zero point, as rows of float vectors (shaders/convolution_pack.comp). The device packs constant
// weights once. `name` distinguishes the weights of one node. RESOURCE_EXHAUSTED_PERSISTENT if a storage buffer cannot hold them.
Result<TensorId> packed_weights(const EmitContext& context, const WeightSource& source, const FilterLayout& layout,
                                const std::string& name);

// The tensor for packed weights, and their name for labels.
struct PackedTarget {
  TensorId tensor = kNoTensor;
  std::string name;
};
// Adds the dispatch that packs `source`, one invocation for each of params.vectors.
template <class Shape>
Status add_packing(const EmitContext& context, TypedKernel<Shape> kernel, const WeightSource& source, const PackedTarget& packed,
                   const typename Shape::Params& params) {
  auto dispatch =
      make_dispatch(context, kernel, {.type = element_type(source.type)},
                    {.in_filter = read_scalars(source.tensor, source.type), .out_packed = write_words(packed.tensor)}, params);
  dispatch.label = operation_name(context.node.code) + " " + packed.name;
  return add_flat(context, std::move(dispatch), params.vectors);
}

// Fits a multiplier to shaders, whose shifts must stay below 32 bits. A longer left shift would leave nothing, so it becomes a
// multiplication by 0.
FixedPointMultiplier shader_multiplier(FixedPointMultiplier multiplier);

// Makes a table of the fixed-point multipliers input scale * filter scale / output scale of an 8-bit layer, per output channel:
// all mantissas, then all exponents. The channels of each group are rounded up to whole vectors. Rule: numerics of CONV_2D.
TensorBinding scales_table(const EmitContext& context, const FilterLayout& layout);
// Makes such a table for `channels` channels (a multiple of four) that share one multiplier.
TensorBinding scales_table(const EmitContext& context, FixedPointMultiplier multiplier, uint32_t channels,
                           const std::string& name);

// Returns memory for sums between the dispatches of a chunked convolution: `vectors` times four numbers per invocation. A
// dispatch without chunks does not use the binding. RESOURCE_EXHAUSTED_PERSISTENT if a storage buffer cannot hold the sums.
Result<TensorBinding> partial_sums(const EmitContext& context, uint64_t invocations, uint32_t vectors, bool chunked);

// Returns the tensor that the kernel writes: the node's output, or with `narrow` a scratch tensor of 32-bit words.
TensorId result_target(const EmitContext& context, bool narrow);
// Adds the second kernel for `narrow`, which converts scratch words to the element type of output `index`.
Status emit_narrowing(const EmitContext& context, TensorId words, size_t index = convolution::kOutput);

// Sets the limits of the first output, for float and 8-bit types.
template <class Params>
void set_limits(const EmitContext& context, FusedActivation own, Params& params) {
  const OperandInfo& output = context.output(kFirstOutput);
  const FusedActivation fused = context.node.fused_activation;
  if (is_float_tensor(output.type)) {
    const ActivationBounds bounds = combined_float_bounds(own, fused);
    params.lo = bounds.lo;
    params.hi = bounds.hi;
    return;
  }
  const QuantizedBounds bounds = combined_quantized_bounds(own, fused, output);
  params.lo = static_cast<float>(bounds.lo);
  params.hi = static_cast<float>(bounds.hi);
  if constexpr (requires { params.in_zero_point; }) {
    params.in_zero_point = context.input(kFirstInput).zero_point;
    params.out_zero_point = output.zero_point;
  }
}

// Sets sizes and steps of a window that moves over an image; poolings use it too.
template <class Params>
void set_window(const WindowParameters& window, Params& params) {
  params.in_height = window.in_height;
  params.in_width = window.in_width;
  params.out_height = window.out_height;
  params.out_width = window.out_width;
  params.filter_height = window.filter_height;
  params.filter_width = window.filter_width;
  params.stride_height = window.stride_height;
  params.stride_width = window.stride_width;
  params.pad_top = window.pad_top;
  params.pad_left = window.pad_left;
}

// Sets a packing kernel's parameters for reading the filter tensor.
template <class Params>
void set_filter(const FilterLayout& filter, Params& params) {
  params.out_channels = filter.out_channels;
  params.in_channels = filter.in_channels;
  params.stride_group = filter.stride_group;
  params.stride_channel = filter.stride_channel;
  params.stride_tap = filter.stride_tap;
  params.stride_k = filter.stride_k;
}

// Sets the limits of float results before and after kernels add the node's residual.
template <class Params>
void set_residual_limits(const EmitContext& context, FusedActivation own, Params& params) {
  const ActivationBounds before = float_activation_bounds(own);
  const ActivationBounds after = float_activation_bounds(context.node.fused_activation);
  params.lo = before.lo;
  params.hi = before.hi;
  params.residual_lo = after.lo;
  params.residual_hi = after.hi;
}

}  // namespace nnvk::vulkan
