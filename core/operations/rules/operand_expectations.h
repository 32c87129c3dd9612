// Checks of single operands for shape functions: exact dimensions, scalar ranges, fixed quantization. Unknown parts always pass.
#pragma once

#include <initializer_list>

#include "core/operations/operation_definition.h"

namespace nnvk {

// Dimension d of input i; kUnknownDimension when the input is omitted or its rank unknown or too small.
uint32_t dimension_of(const OperationView& operation, size_t i, size_t d);

// Input i, if present, has this rank and these dimensions (kUnknownDimension: any). Error: OP_FAILED.
Status expect_shape(const OperationView& operation, size_t i, std::initializer_list<uint32_t> dims);

// Whether an optional operand is present. Before execution this is unknown for a model input: the client may still omit it.
// Clients declare operands they may omit with unknown dimensions, so a shape that is not fully known leaves the question open.
enum class Presence { kOmitted, kGiven, kUncertain };
Presence presence_of(const OperationView& operation, size_t i);

// expect_shape() for an optional operand: passes while its presence is uncertain.
Status expect_optional_shape(const OperationView& operation, size_t i, std::initializer_list<uint32_t> dims);

// Value of a FLOAT32 or FLOAT16 scalar; nullopt when absent or unknown to the host.
std::optional<float> float_scalar(const OperationView& operation, size_t i);

// Scalar i is at least `least` (INT32) / greater than or at least zero (floats; NaN fails). Unknown passes. Error: OP_FAILED.
Status expect_int_at_least(const OperationView& operation, size_t i, int32_t least);
Status expect_positive(const OperationView& operation, size_t i);
Status expect_not_negative(const OperationView& operation, size_t i);

// INT32 scalar i, when known, names a dimension of the first input, when its rank is known. Error: OP_FAILED.
Status expect_axis(const OperationView& operation, size_t i);

// Input i, when of type TENSOR_QUANT16_ASYMM (boxes), has scale 0.125 and zero point 0. Error: OP_FAILED.
Status expect_box_quantization(const OperandInfo& operand, const std::string& what);

// The first output, when 8-bit and asymmetric, has this scale and this zero point (128 less if signed). Error: OP_FAILED.
Status expect_fixed_quantization(const OperationView& operation, float scale, int32_t unsigned_zero_point);

// 3 when the rank of the first input is known and not 4; else 1. For OperationDefinition::level.
int rank_4_level(const OperationView& operation);

// FuseCode 0..3; an unknown value passes. Error: OP_FAILED.
Status check_activation(std::optional<int32_t> activation);

}  // namespace nnvk
