// 8-bit unary operations as tables of 256 entries: exact integer arithmetic of the specification, evaluated once per table.
// The CPU reference looks values up in these tables and the GPU uploads them, so both give the same integers.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/result.h"
#include "core/model/operand.h"
#include "core/operations/operation_code.h"

namespace nnvk {

// Entry i is the output byte for the input byte i (for signed types, byte i represents the value int8_t(i)).
using ByteTable = std::array<uint8_t, 256>;

// Table of RELU, RELU1, RELU6, LOGISTIC, TANH, HARD_SWISH or RSQRT. `input` and `output` are TENSOR_QUANT8_ASYMM or
// TENSOR_QUANT8_ASYMM_SIGNED, both of one type; only type, scale and zero point matter. OP_FAILED when the specification rejects
// the scales, BAD_DATA for other operations and types.
Result<ByteTable> quantized_unary_table(OperationCode code, const OperandInfo& input, const OperandInfo& output);

// The byte for the same real number in another quantization of the same type. This is "requant" in the numerics of MAXIMUM,
// MINIMUM and SELECT (through float32 and double; half away from zero; saturating). Scales > 0.
ByteTable requantized_bytes(const OperandInfo& from, const OperandInfo& to);

}  // namespace nnvk
