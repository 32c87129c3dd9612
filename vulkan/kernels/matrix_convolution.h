// Convolutions and matrix products by cooperative matrices: what dense_convolution.h does, for devices that have them.
#pragma once

#include "core/operations/parameters/window_parameters.h"
#include "vulkan/kernels/dense_convolution.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// Emits the layer of emit_dense_convolution(). False, and nothing is emitted, where cooperative matrices are not the choice
// (matrix_choice.h); never for transposed convolutions. Errors: OP_FAILED when the layer is larger than one dispatch.
Result<bool> emit_matrix_convolution(const EmitContext& context, const WindowParameters& window, bool transposed);

// The same for the product of emit_product().
Result<bool> emit_matrix_product(const EmitContext& context, const ProductRows& rows, const ProductWeights& weights,
                                 const ProductResult& result);

}  // namespace nnvk::vulkan
