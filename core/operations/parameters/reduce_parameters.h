// The operands of MEAN and the REDUCE_* operations, and the dimensions that they reduce.
#pragma once

#include <cstring>

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
  const size_t rank = operation.shape(reduce::kInput).rank();
  const std::span<const std::byte> axes = operation.inputs[reduce::kAxes].value;
  std::vector<bool> reduced(rank);
  int32_t axis = 0;
  for (size_t at = 0; at + sizeof axis <= axes.size(); at += sizeof axis) {
    std::memcpy(&axis, axes.data() + at, sizeof axis);
    NNVK_ASSIGN(const uint32_t index, normalize_axis(axis, rank, Code::kOpFailed));
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
  const auto value = operation.scalar<uint8_t>(reduce::kKeepDims);
  return value ? std::optional(*value != 0) : std::nullopt;
}

}  // namespace nnvk
