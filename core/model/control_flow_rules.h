// How the operands of IF and WHILE must fit the models they reference (docs/nnapi/control_flow.md).
#pragma once

#include <span>

#include "core/base/result.h"
#include "core/model/model.h"

namespace nnvk {

// Same type, quantization and extra parameters; shapes agree where both are known.
bool are_compatible(const OperandInfo& a, const OperandInfo& b);

// `operands`: of the outer model. BAD_DATA names the operand that does not fit. Needs every MODEL operand to have its value.
Status check_if(std::span<const Operand> operands, const Operation& operation);
Status check_while(std::span<const Operand> operands, const Operation& operation);

}  // namespace nnvk
