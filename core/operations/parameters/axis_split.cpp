// Splits shapes at an axis and decodes axis operands.
#include "core/operations/parameters/axis_split.h"

#include "core/operations/parameters/scalar_parameters.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {
constexpr int32_t kLastAxis = -1;
}  // namespace

AxisSplit split_at_axis(const Shape& shape, size_t axis) {
  AxisSplit split;
  split.size = shape[axis];
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (d < axis) split.outer *= shape[d];
    if (d > axis) split.inner *= shape[d];
  }
  return split;
}

Result<uint32_t> axis_parameter(const OperationView& operation, size_t axis_input) {
  int32_t axis = kLastAxis;
  if (operation.has(axis_input)) {
    NNVK_ASSIGN(axis, int_parameter(operation, axis_input));
  }
  return normalize_axis(axis, operation.shape(kFirstInput).rank(), Code::kOpFailed);
}

}  // namespace nnvk
