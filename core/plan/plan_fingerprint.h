// Distinguishes plans by everything that devices can see: types, shapes, operations, wiring and the values of constants.
#pragma once

#include "core/plan/plan.h"

namespace nnvk {

// A checksum of the plan and the plans it refers to. The same in every process of one build. Independent of the numbers that
// operations and operands have in the model.
uint64_t plan_fingerprint(const Plan& plan);

// Bytes of all constants, including those of the plans it refers to.
uint64_t constant_bytes(const Plan& plan);

}  // namespace nnvk
