// Sizes that operations on images take from shapes and scalars while parts of them are unknown.
#pragma once

#include "core/operations/operation_definition.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {

// The sizes of an image, whatever its layout; unknown while the layout flag is.
struct ImageDimensions {
  uint32_t batches = kUnknownDimension;
  uint32_t height = kUnknownDimension;
  uint32_t width = kUnknownDimension;
  uint32_t channels = kUnknownDimension;
};
// Of input `input`; the flag `layout_input`, if the signature has it, tells whether it is NCHW.
ImageDimensions image_of(const OperationView& operation, size_t input, size_t layout_input);

// An INT32 scalar as a dimension; unknown while its value is, and for negative ones.
uint32_t scalar_dimension(const OperationView& operation, size_t i);

// The value of a, or of b while a is unknown.
inline uint32_t either(uint32_t a, uint32_t b) { return is_known(a) ? a : b; }

}  // namespace nnvk
