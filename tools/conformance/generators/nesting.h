// Nested IF and WHILE, with operands that are inputs, constants and computed values.
#pragma once

#include "tools/conformance/generators/decisions.h"
#include "tools/conformance/generators/draft.h"

namespace nnvk::tools::conformance {

// The values of a random nesting.
struct NestedType {
  int32_t type = kFloat32;  // of the values: one of kFive
  Dims dims{3};
};

// Declares a model of control flow `depth` levels deep, with operations before, inside and after it. Conditions and limits of
// loops are inputs, constants or computed; operands of its graphs have known and unknown shapes. Results stay small, and loops
// end after a few rounds.
void declare_nesting(Draft& draft, Decisions& decisions, const NestedType& values, int depth);

}  // namespace nnvk::tools::conformance
