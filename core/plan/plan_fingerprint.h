// Tells plans apart by everything that devices see of them: types, shapes, operations, wiring and the values of constants.
#pragma once

#include "core/plan/plan.h"

namespace nnvk {

// A checksum of the plan with the plans it refers to. The same in every process of one build. Where its operations and operands
// come from in the model does not matter.
uint64_t plan_fingerprint(const Plan& plan);

// Bytes of all constants, those of the plans it refers to included.
uint64_t constant_bytes(const Plan& plan);

}  // namespace nnvk
