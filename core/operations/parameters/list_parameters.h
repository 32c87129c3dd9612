// Lists and raw elements that a decoder cannot do without; scalar_parameters.h has the numbers. Errors: OP_FAILED while the host
// does not know the value.
#pragma once

#include <string>
#include <vector>

#include "core/operations/parameters/scalar_parameters.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {

// A TENSOR_INT32 of exactly `length` elements; OP_FAILED for another number.
inline Result<std::vector<int32_t>> list_parameter(const OperationView& operation, size_t input, size_t length) {
  auto values = operation.values<int32_t>(input);
  if (!values) return fail(Code::kOpFailed, "the value of " + input_name(input) + " is not known");
  if (values->size() == length) return *std::move(values);
  return fail(Code::kOpFailed, input_name(input) + " has " + std::to_string(values->size()) +
                                   " entries, the input's rank asks for " + std::to_string(length));
}

// The bits of a FLOAT32, INT32 or FLOAT16 scalar: an element of any type, in the low bytes.
inline Result<int32_t> element_parameter(const OperationView& operation, size_t input) {
  if (const auto half = operation.scalar<int16_t>(input); half && operation.input(input).type == OperandType::kFloat16)
    return *half;
  return int_parameter(operation, input);
}

}  // namespace nnvk
