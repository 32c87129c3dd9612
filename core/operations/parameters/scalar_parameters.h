// Functions that read operands which a decoder requires. All return OP_FAILED while the host does not know the value.
#pragma once

#include "core/operations/operation_definition.h"
#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {

// Returns `value`, the value of the scalar `input`, or an error if there is none.
template <class T>
Result<T> known_scalar(std::optional<T> value, size_t input) {
  if (value) return *value;
  return fail(Code::kOpFailed, input_name(input) + " is a scalar whose value must be known");
}

inline Result<int32_t> int_parameter(const OperationView& operation, size_t input) {
  return known_scalar(operation.scalar<int32_t>(input), input);
}
inline Result<float> float_parameter(const OperationView& operation, size_t input) {
  return known_scalar(float_scalar(operation, input), input);
}
// Returns the value of a BOOL scalar; false in signatures that are too short to have it.
inline Result<bool> flag_parameter(const OperationView& operation, size_t input) {
  return known_scalar(optional_flag(operation, input), input);
}

// Returns the values of a TENSOR_INT32 of exactly `length` elements; OP_FAILED for another number.
inline Result<std::vector<int32_t>> list_parameter(const OperationView& operation, size_t input, size_t length) {
  auto values = operation.values<int32_t>(input);
  if (!values) return fail(Code::kOpFailed, "the value of " + input_name(input) + " is not known");
  if (values->size() == length) return *std::move(values);
  return fail(Code::kOpFailed, input_name(input) + " has " + std::to_string(values->size()) +
                                   " entries, the input's rank asks for " + std::to_string(length));
}

// Returns the bits of a FLOAT32, INT32 or FLOAT16 scalar in the low bytes of the result.
inline Result<int32_t> element_parameter(const OperationView& operation, size_t input) {
  if (const auto half = operation.scalar<int16_t>(input); half && operation.input(input).type == OperandType::kFloat16)
    return *half;
  return int_parameter(operation, input);
}

}  // namespace nnvk
