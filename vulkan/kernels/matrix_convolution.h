// Convolutions and matrix products by cooperative matrices: like dense_convolution.h, for devices that have them.
#pragma once

#include "core/operations/parameters/window_parameters.h"
#include "vulkan/kernels/dense_convolution.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// Emits the layer of emit_dense_convolution(). Returns false and emits nothing if matrix_choice.h does not choose cooperative
// matrices; it never does for transposed convolutions. RESOURCE_EXHAUSTED_PERSISTENT if the layer is larger than one dispatch.
Result<bool> emit_matrix_convolution(const EmitContext& context, const WindowParameters& window, bool transposed);

// The same for the product of emit_product().
Result<bool> emit_matrix_product(const EmitContext& context, const ProductRows& rows, const ProductWeights& weights,
                                 const ProductResult& result);

}  // namespace nnvk::vulkan
