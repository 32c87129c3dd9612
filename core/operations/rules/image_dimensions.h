// Reads sizes for operations on images from shapes and scalars, parts of which may be unknown.
#pragma once

#include "core/operations/operation_definition.h"
#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {

// The sizes of an image, independent of its layout; unknown while the layout flag is unknown.
struct ImageDimensions {
  uint32_t batches = kUnknownDimension;
  uint32_t height = kUnknownDimension;
  uint32_t width = kUnknownDimension;
  uint32_t channels = kUnknownDimension;
};
// Returns the sizes of input `input`. The flag `layout_input`, if the signature has it, is true for NCHW.
inline ImageDimensions image_of(const OperationView& operation, size_t input, size_t layout_input) {
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

// Returns an INT32 scalar as a dimension; unknown if the value is unknown or negative.
inline uint32_t scalar_dimension(const OperationView& operation, size_t i) {
  const auto value = operation.scalar<int32_t>(i);
  return value && *value >= 0 ? static_cast<uint32_t>(*value) : kUnknownDimension;
}

}  // namespace nnvk
