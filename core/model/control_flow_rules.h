// How the operands of IF and WHILE must fit the models they reference (docs/nnapi/control_flow.md).
#pragma once

#include <span>

#include "core/base/result.h"
#include "core/model/model.h"

namespace nnvk {

// Returns true if type, quantization and extra parameters are equal and the shapes agree in every part that both know.
bool are_compatible(const OperandInfo& a, const OperandInfo& b);

// These functions return BAD_DATA, with the operand that does not fit, if an IF or WHILE breaks a rule. `operands` are those of
// the outer model. check_operation() has accepted the operation: its number of inputs, and the condition of an IF.
Status check_if(std::span<const Operand> operands, const Operation& operation);
Status check_while(std::span<const Operand> operands, const Operation& operation);

}  // namespace nnvk
