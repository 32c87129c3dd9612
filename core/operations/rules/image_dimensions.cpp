// Sizes of images with unknown parts.
#include "core/operations/rules/image_dimensions.h"

#include "core/operations/rules/operand_expectations.h"

namespace nnvk {

ImageDimensions image_of(const OperationView& operation, size_t input, size_t layout_input) {
  ImageDimensions image;
  image.batches = dimension_of(operation, input, 0);
  if (const auto nchw = optional_flag(operation, layout_input)) {
    const LayoutAxes axes = layout_axes(*nchw);
    image.height = dimension_of(operation, input, axes.height);
    image.width = dimension_of(operation, input, axes.width);
    image.channels = dimension_of(operation, input, axes.channels);
  }
  return image;
}

uint32_t scalar_dimension(const OperationView& operation, size_t i) {
  const auto value = operation.scalar<int32_t>(i);
  return value && *value >= 0 ? static_cast<uint32_t>(*value) : kUnknownDimension;
}

}  // namespace nnvk
