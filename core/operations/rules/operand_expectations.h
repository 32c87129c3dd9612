// Checks of single operands for shape functions: dimensions, scalar ranges, fixed quantization. All accept unknown parts.
#pragma once

#include <initializer_list>

#include "core/operations/operation_definition.h"

namespace nnvk {

// Returns dimension d of input i; kUnknownDimension if the input is omitted, or its rank unknown or too small.
uint32_t dimension_of(const OperationView& operation, size_t i, size_t d);

// Checks that input i, if present, has this rank and these dimensions (kUnknownDimension: any). Error: OP_FAILED.
Status expect_shape(const OperationView& operation, size_t i, std::initializer_list<uint32_t> dims);

// Tells whether an optional operand is present. For a model input this is unknown before execution. Clients declare inputs that
// they may omit with unknown dimensions, so a shape that is not fully known makes the answer kUncertain.
enum class Presence { kOmitted, kGiven, kUncertain };
Presence presence_of(const OperationView& operation, size_t i);

// Does the same as expect_shape(), for an optional operand: accepts it while its presence is uncertain.
Status expect_optional_shape(const OperationView& operation, size_t i, std::initializer_list<uint32_t> dims);

// Returns the value of a FLOAT32 or FLOAT16 scalar; nullopt if it is absent or the host does not know it.
std::optional<float> float_scalar(const OperationView& operation, size_t i);

// These functions check that scalar i is >= `least` (INT32), > 0 or >= 0 (floats; NaN fails). They accept unknown values. Error:
// OP_FAILED.
Status expect_int_at_least(const OperationView& operation, size_t i, int32_t least);
Status expect_positive(const OperationView& operation, size_t i);
Status expect_not_negative(const OperationView& operation, size_t i);

// Checks that INT32 scalar i is an axis of the first input, if scalar and rank are known. Error: OP_FAILED.
Status expect_axis(const OperationView& operation, size_t i);

// Checks that an operand of type TENSOR_QUANT16_ASYMM (boxes) has scale 0.125 and zero point 0. Error: OP_FAILED.
Status expect_box_quantization(const OperandInfo& operand, const std::string& what);

// Checks that the first output, if 8-bit and asymmetric, has this scale and zero point (128 less if signed). Error: OP_FAILED.
Status expect_fixed_quantization(const OperationView& operation, float scale, int32_t unsigned_zero_point);

// Serves as OperationDefinition::level: returns 3 if the rank of the first input is known and not 4, else 1.
int rank_4_level(const OperationView& operation);

// Checks that the value is a FuseCode, 0..3; accepts an unknown value. Error: OP_FAILED.
Status check_activation(std::optional<int32_t> activation);

}  // namespace nnvk
