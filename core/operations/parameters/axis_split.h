// Tensors seen around one of their dimensions, and the operand that selects the dimension.
#pragma once

#include "core/operations/operation_definition.h"
#include "core/operations/parameters/scalar_parameters.h"

namespace nnvk {

// A tensor as outer x size x inner: it has outer * inner slices along the axis, each of `size` elements that lie `inner` apart.
struct AxisSplit {
  size_t outer = 1;
  size_t size = 1;
  size_t inner = 1;
  bool operator==(const AxisSplit&) const = default;

  size_t slices() const { return outer * inner; }
  // Returns the offset of the first element of slice `slice`, in elements.
  size_t first_of(size_t slice) const { return slice / inner * size * inner + slice % inner; }
};

// Splits a known shape at its dimension `axis`, which must exist.
inline AxisSplit split_at_axis(const Shape& shape, size_t axis) {
  AxisSplit split;
  split.size = shape[axis];
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (d < axis) split.outer *= shape[d];
    if (d > axis) split.inner *= shape[d];
  }
  return split;
}

// Returns the dimension of the first input, of known rank, that the INT32 scalar `axis_input` selects; negative values count from
// the back. Returns the last dimension for signatures without the scalar. OP_FAILED outside [-rank, rank), and if the value is
// unknown.
inline Result<uint32_t> axis_parameter(const OperationView& operation, size_t axis_input) {
  int32_t axis = -1;  // the last dimension
  if (operation.has(axis_input)) {
    NNVK_ASSIGN(axis, int_parameter(operation, axis_input));
  }
  return normalize_axis(axis, operation.shape(kFirstInput).rank());
}

}  // namespace nnvk
