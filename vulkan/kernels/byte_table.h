// Adds dispatches that compute an 8-bit function of one byte: they look every byte up in a table of 256.
#pragma once

#include "core/operations/parameters/quantized_unary.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// Writes table[byte] for every byte of the first input to the first output.
Status emit_byte_table(const EmitContext& context, const ByteTable& table);

// Returns input i of the node mapped by `table`: a scratch tensor, or the input itself if the table changes nothing.
Result<TensorId> mapped_input(const EmitContext& context, size_t i, const ByteTable& table);

}  // namespace nnvk::vulkan
