// 8-bit convolutions and matrix products by integer dot products: what dense_convolution.h does, for devices with the
// instruction.
#pragma once

#include "core/operations/parameters/window_parameters.h"
#include "vulkan/kernels/dense_convolution.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// Emits the layer of emit_dense_convolution(). False, and nothing is emitted, where dot products are not the choice
// (dot_choice.h). Errors: OP_FAILED when the layer is larger than one dispatch.
Result<bool> emit_dot_convolution(const EmitContext& context, const WindowParameters& window, bool transposed);

// The same for the product of emit_product().
Result<bool> emit_dot_product(const EmitContext& context, const ProductRows& rows, const ProductWeights& weights,
                              const ProductResult& result);

}  // namespace nnvk::vulkan
