// Declares the rows of every family (family_list.h). <family>.cpp has signatures, type rules, check and infer of its operations.
//
// Conventions for rows:
// - An optional trailing input may need a higher feature level than its type (the axis of SOFTMAX). Then it has its own signature
//   with its own `since`. check_operation() accounts for the levels of types and for unknown ranks.
// - The level of a combination may depend on scales or zero points (CONV_2D before level 3). Then it has two type rules, the
//   lower one with `applies`. The lowest level among all matching rules counts.
#pragma once

#include "core/operations/family_list.h"
#include "core/operations/operation_definition.h"

namespace nnvk {

// Declares <family>_operations(), which returns the rows of a family.
#define NNVK_ROWS(family) std::span<const OperationDefinition> family##_operations();
NNVK_FAMILIES(NNVK_ROWS)
NNVK_ROWS(picture)  // PICTURE_TO_TENSOR, which no model contains
NNVK_ROWS(pixels)   // CONVERT_PIXELS and GATHER_PIXELS, which no model contains
#undef NNVK_ROWS

}  // namespace nnvk
