// IF and WHILE inside of each other, with operands that are inputs, constants and computed values.
#pragma once

#include "tools/conformance/generators/decisions.h"
#include "tools/conformance/generators/draft.h"

namespace nnvk::tools::conformance {

// What a random nesting computes with.
struct NestedType {
  int32_t type = kFloat32;  // of the values: one of kFive
  Dims dims{3};
};

// Declares a model of control flow `depth` levels deep: operations before it, inside of it and behind it, conditions and limits
// of loops that are inputs, constants and computed, graphs whose operands have known and unknown shapes. Results stay small, and
// loops end after a few rounds.
void declare_nesting(Draft& draft, Decisions& decisions, const NestedType& values, int depth);

}  // namespace nnvk::tools::conformance
