// Decodes the activation operand.
#include "core/operations/parameters/activation.h"

#include "core/operations/parameters/scalar_parameters.h"
#include "core/operations/rules/operand_expectations.h"

namespace nnvk {

Result<FusedActivation> activation_parameter(const OperationView& operation, size_t input) {
  NNVK_ASSIGN(const int32_t code, int_parameter(operation, input));
  NNVK_TRY(check_activation(code));
  return static_cast<FusedActivation>(code);
}

}  // namespace nnvk
