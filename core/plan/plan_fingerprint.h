// Distinguishes plans by everything that devices can see: types, shapes, operations, wiring and the values of constants.
#pragma once

#include "core/plan/plan.h"

namespace nnvk {

// Returns a checksum of the plan and of the plans that it refers to. It is the same in every process of one build, and does not
// depend on the numbers of operations and operands in the model.
uint64_t plan_fingerprint(const Plan& plan);

// Returns how many bytes all constants have, of the plan and of the plans that it refers to.
uint64_t constant_bytes(const Plan& plan);

}  // namespace nnvk
