// 8-bit unary operations as tables of 256 entries, computed once by the exact integer arithmetic of the specification. The CPU
// reference looks values up in these tables and the GPU uploads them, so both give the same integers.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/result.h"
#include "core/model/operand.h"
#include "core/operations/operation_code.h"

namespace nnvk {

// Entry i is the output byte for the input byte i; for signed types, byte i represents the value int8_t(i).
using ByteTable = std::array<uint8_t, 256>;

// Returns the table of RELU, RELU1, RELU6, LOGISTIC, TANH, HARD_SWISH or RSQRT for two tensors of one 8-bit asymmetric type;
// shapes do not matter. OP_FAILED if the specification rejects the scales, BAD_DATA for other operations and types.
Result<ByteTable> quantized_unary_table(OperationCode code, const OperandInfo& input, const OperandInfo& output);

// Returns the byte of each byte's real number in another quantization of the same type: "requant" in the numerics of MAXIMUM,
// MINIMUM and SELECT (through float32 and double; half away from zero; saturating). Scales > 0.
ByteTable requantized_bytes(const OperandInfo& from, const OperandInfo& to);

}  // namespace nnvk
