// Constants that rewrites add to a plan.
#pragma once

#include <cstddef>
#include <vector>

#include "core/plan/plan.h"

namespace nnvk {

// Adds a tensor or scalar with these bytes, which the plan then owns.
TensorId add_constant(Plan& plan, OperandInfo info, std::vector<std::byte> bytes);
// Adds a constant INT32 scalar.
TensorId add_int_constant(Plan& plan, int32_t value);

}  // namespace nnvk
