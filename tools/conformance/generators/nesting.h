// Declares nested IF and WHILE, whose operands are inputs, constants and computed values.
#pragma once

#include "tools/conformance/generators/decisions.h"
#include "tools/conformance/generators/draft.h"

namespace nnvk::tools::conformance {

// The values of a random nesting.
struct NestedType {
  int32_t type = kFloat32;  // of the values: one of kFive
  Dims dims{3};
};

// Declares control flow `depth` levels deep, with operations before, inside and after it. Conditions and loop limits are inputs,
// constants or computed values; operands of its graphs have known or unknown shapes. Results stay small, and loops end after a
// few rounds.
void declare_nesting(Draft& draft, Decisions& decisions, const NestedType& values, int depth);

}  // namespace nnvk::tools::conformance
