// Operands of MEAN and the REDUCE_* operations, and the dimensions that they fold.
#pragma once

#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/operations/operation_definition.h"

namespace nnvk {

namespace reduce {
enum Input : size_t { kInput, kAxes, kKeepDims };
enum Output : size_t { kOutput };
}  // namespace reduce

// Which dimensions of the input, whose rank is known, are folded. Axes may be negative and may repeat; OP_FAILED for one outside
// [-rank, rank).
Result<std::vector<bool>> reduced_dimensions(const OperationView& operation);

// Folded dimensions stay, with size 1. nullopt while that is not known.
std::optional<bool> keeps_dimensions(const OperationView& operation);

}  // namespace nnvk
