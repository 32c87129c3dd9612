// The operands of operations on one tensor, element by element.
#pragma once

#include "core/operations/parameters/scalar_parameters.h"

namespace nnvk {

// The operands of all operations but ELU, which has another input. LOGICAL_NOT has them too.
namespace unary {
enum Input : size_t { kInput };
enum Output : size_t { kOutput };
}  // namespace unary

namespace elu {
enum Input : size_t { kInput, kAlpha };
}  // namespace elu

// Returns the factor of ELU's negative half, FLOAT32 or FLOAT16. OP_FAILED while it is not known.
inline Result<float> elu_alpha(const OperationView& operation) { return float_parameter(operation, elu::kAlpha); }

}  // namespace nnvk
