// An 8-bit function of one byte as a dispatch: every byte is looked up in a table of 256.
#pragma once

#include <string>

#include "core/operations/parameters/quantized_unary.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// Writes table[byte] for the first `elements` bytes of `input` (and for what pads them to 16 bytes) to `output`. `key` names the
// table within the node.
Status emit_byte_table(const EmitContext& context, DispatchList& dispatches, const std::string& key, const ByteTable& table,
                       TensorId input, TensorId output, uint64_t elements);

// Input i of the node mapped by `table`: a scratch tensor, or the input itself when the table changes nothing.
Result<TensorId> mapped_input(const EmitContext& context, DispatchList& dispatches, size_t i, const ByteTable& table);

}  // namespace nnvk::vulkan
