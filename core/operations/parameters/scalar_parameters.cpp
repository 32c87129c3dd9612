// Scalars as values or errors.
#include "core/operations/parameters/scalar_parameters.h"

#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

template <class T>
Result<T> known(std::optional<T> value, size_t input) {
  if (value) return *value;
  return fail(Code::kOpFailed, input_name(input) + " is a scalar whose value must be known");
}

}  // namespace

Result<int32_t> int_parameter(const OperationView& operation, size_t input) {
  return known(operation.scalar<int32_t>(input), input);
}

Result<float> float_parameter(const OperationView& operation, size_t input) {
  return known(float_scalar(operation, input), input);
}

Result<bool> flag_parameter(const OperationView& operation, size_t input) {
  return known(optional_flag(operation, input), input);
}

}  // namespace nnvk
