// The rows of every family (operation_list.h): <family>.cpp holds signatures, type rules, check and infer of its operations.
//
// How a row says things:
// - An optional trailing input that needs a higher feature level than its type does (the axis of SOFTMAX) is a signature of
//   its own with its own `since`; the types' own levels and unknown ranks are counted by check_operation().
// - A combination whose level depends on scales or zero points (CONV_2D before level 3) is two type rules, the lower one with
//   `applies`. The lowest level among all matching rules counts.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

// <family>_operations(): the rows of a family.
#define NNVK_ROWS(family) std::span<const OperationDefinition> family##_operations();
NNVK_FAMILIES(NNVK_ROWS)
#undef NNVK_ROWS

}  // namespace nnvk
