// Decodes the activation operand.
#include "core/operations/parameters/activation.h"

#include "core/operations/rules/operand_expectations.h"

namespace nnvk {

Result<FusedActivation> activation_parameter(const OperationView& operation, size_t input) {
  const int32_t code = operation.scalar<int32_t>(input).value_or(-1);
  NNVK_TRY(check_activation(code));
  return static_cast<FusedActivation>(code);
}

}  // namespace nnvk
