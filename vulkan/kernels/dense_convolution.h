// The layers that are one implicit matrix product: CONV_2D, TRANSPOSE_CONV_2D and FULLY_CONNECTED share this emitter.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/operations/window_parameters.h"
#include "vulkan/kernels/dispatch.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// Emits input 0 * input 1 + input 2 -> output 0 with the node's residual and activations. `window.activation` is the node's own
// activation. Errors: OP_FAILED when the layer is larger than one dispatch.
Status emit_dense_convolution(const EmitContext& context, const WindowParameters& window, bool transposed,
                              DispatchList& dispatches);

}  // namespace nnvk::vulkan
