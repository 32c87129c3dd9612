// 8-bit convolutions and matrix products by integer dot products: like dense_convolution.h, for devices with the instruction.
#pragma once

#include "core/operations/parameters/window_parameters.h"
#include "vulkan/kernels/dense_convolution.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// Emits the layer of emit_dense_convolution(). Returns false and emits nothing if dot_choice.h does not choose dot products.
// RESOURCE_EXHAUSTED_PERSISTENT if the layer is larger than one dispatch.
Result<bool> emit_dot_convolution(const EmitContext& context, const WindowParameters& window, bool transposed);

// The same for the product of emit_product().
Result<bool> emit_dot_product(const EmitContext& context, const ProductRows& rows, const ProductWeights& weights,
                              const ProductResult& result);

}  // namespace nnvk::vulkan
