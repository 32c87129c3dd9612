// Decodes axes and layouts of the normalisations.
#include "core/operations/parameters/normalization_parameters.h"

#include "core/operations/rules/shape_rules.h"

namespace nnvk {

Result<NormalizationSlices> normalization_slices(const OperationView& operation) {
  const Shape& shape = operation.shape(0);
  NormalizationSlices slices;
  if (operation.code == OperationCode::kInstanceNormalization) {
    const bool nchw = layout_is_nchw(operation, 4).value_or(false);
    const LayoutAxes axes = layout_axes(nchw);
    slices.outer = uint64_t{shape[0]} * (nchw ? shape[axes.channels] : 1);
    slices.size = uint64_t{shape[axes.height]} * shape[axes.width];
    slices.inner = nchw ? 1 : shape[axes.channels];
    return slices;
  }
  const size_t axis_input = operation.code == OperationCode::kL2Normalization ? 1 : 5;
  NNVK_ASSIGN(const uint32_t axis,
              normalize_axis(operation.scalar<int32_t>(axis_input).value_or(-1), shape.rank(), Code::kOpFailed));
  slices.size = shape[axis];
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (d < axis) slices.outer *= shape[d];
    if (d > axis) slices.inner *= shape[d];
  }
  return slices;
}

}  // namespace nnvk
