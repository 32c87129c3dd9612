// Tensors seen around one of their dimensions, and the operand that names the dimension.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

// A tensor as outer x size x inner: a slice along the axis has `size` elements, `inner` apart; there are outer * inner slices.
struct AxisSplit {
  size_t outer = 1;
  size_t size = 1;
  size_t inner = 1;
  bool operator==(const AxisSplit&) const = default;

  size_t slices() const { return outer * inner; }
  // Offset of the first element of slice `slice`, in elements.
  size_t first_of(size_t slice) const { return slice / inner * size * inner + slice % inner; }
};

// `shape` is known and has dimension `axis`.
AxisSplit split_at_axis(const Shape& shape, size_t axis);

// The dimension of the first input that the INT32 scalar `axis_input` names; negative values count from the back. In signatures
// without it: the last one. The rank is known. OP_FAILED outside [-rank, rank), and while the value is unknown.
Result<uint32_t> axis_parameter(const OperationView& operation, size_t axis_input);

}  // namespace nnvk
