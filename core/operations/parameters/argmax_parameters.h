// The operands of ARGMAX and ARGMIN, and the slices that they search.
#pragma once

#include "core/operations/parameters/axis_split.h"

namespace nnvk {

namespace argmax {
enum Input : size_t { kInput, kAxis };
enum Output : size_t { kOutput };
}  // namespace argmax

// Returns the input, whose shape is known, split at the axis. OP_FAILED if the axis is unknown or outside the rank.
inline Result<AxisSplit> argmax_slices(const OperationView& operation) {
  NNVK_ASSIGN(const uint32_t axis, axis_parameter(operation, argmax::kAxis));
  return split_at_axis(operation.shape(argmax::kInput), axis);
}

}  // namespace nnvk
