// Convolutions in which every output channel reads one input channel: DEPTHWISE_CONV_2D, and GROUPED_CONV_2D with as many groups
// as input channels.
#pragma once

#include "core/operations/parameters/window_parameters.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// Emits image * filter + bias -> output; output channel k reads input channel k / depth_multiplier. `channels_last`: the filter's
// output channels are its last dimension, else its first. RESOURCE_EXHAUSTED_PERSISTENT if it is larger than one dispatch.
Status emit_depthwise_convolution(const EmitContext& context, const WindowParameters& window, bool channels_last);

// As emit_depthwise_convolution(), but for 8-bit tensors, by integer dot products. Returns false and emits nothing if
// dot_choice.h does not choose them.
Result<bool> emit_dot_depthwise(const EmitContext& context, const WindowParameters& window, bool channels_last);

}  // namespace nnvk::vulkan
