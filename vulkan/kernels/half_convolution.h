// Float convolutions and matrix products in halves: like dense_convolution.h, for FLOAT16 and relaxed FLOAT32 on devices with
// half arithmetic.
#pragma once

#include <cstdint>

#include "core/operations/parameters/window_parameters.h"
#include "vulkan/kernels/dense_convolution.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// Packed weights: the vectors of eight output channels per row, and the total size in bytes.
uint64_t half_columns(const FilterLayout& filter);
uint64_t packed_half_bytes(const FilterLayout& filter);

// Emits the layer of emit_dense_convolution(). Returns false and emits nothing if half_choice.h does not choose halves.
// RESOURCE_EXHAUSTED_PERSISTENT if the layer is larger than one dispatch.
Result<bool> emit_half_convolution(const EmitContext& context, const WindowParameters& window, bool transposed);

// The same for the product of emit_product().
Result<bool> emit_half_product(const EmitContext& context, const ProductRows& rows, const ProductWeights& weights,
                               const ProductResult& result);

}  // namespace nnvk::vulkan
