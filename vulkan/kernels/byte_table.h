// A dispatch of an 8-bit function of one byte: it looks every byte up in a table of 256.
#pragma once

#include "core/operations/parameters/quantized_unary.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// Writes table[byte] for every byte of the first input to the first output.
Status emit_byte_table(const EmitContext& context, const ByteTable& table);

// Input i of the node mapped by `table`: a scratch tensor, or the input itself when the table changes nothing.
Result<TensorId> mapped_input(const EmitContext& context, size_t i, const ByteTable& table);

}  // namespace nnvk::vulkan
