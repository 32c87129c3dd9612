// The operands of MEAN and the REDUCE_* operations, and the dimensions that they reduce.
#pragma once

#include "core/operations/operation_definition.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {

namespace reduce {
enum Input : size_t { kInput, kAxes, kKeepDims };
enum Output : size_t { kOutput };
}  // namespace reduce

// Returns, per dimension of the input, whose rank is known, whether the operation reduces it. Axes may be negative and may
// repeat; OP_FAILED for an axis outside [-rank, rank).
inline Result<std::vector<bool>> reduced_dimensions(const OperationView& operation) {
  std::vector<bool> reduced(operation.shape(reduce::kInput).rank());
  for (const int32_t axis : operation.values<int32_t>(reduce::kAxes).value_or(std::vector<int32_t>())) {
    NNVK_ASSIGN(const uint32_t index, normalize_axis(axis, reduced.size()));
    reduced[index] = true;
  }
  return reduced;
}

// Returns true if reduced dimensions stay, with size 1; nullopt while that is unknown. MEAN has an INT32 (true if positive), all
// other operations have a BOOL.
inline std::optional<bool> keeps_dimensions(const OperationView& operation) {
  if (operation.input(reduce::kKeepDims).type == OperandType::kInt32) {
    const auto value = operation.scalar<int32_t>(reduce::kKeepDims);
    return value ? std::optional(*value > 0) : std::nullopt;
  }
  return optional_flag(operation, reduce::kKeepDims);
}

}  // namespace nnvk
