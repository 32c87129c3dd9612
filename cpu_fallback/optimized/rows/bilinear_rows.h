// Interpolates rows of RESIZE_BILINEAR, each from two input rows, by the reference's sums.
#pragma once

#include <cstddef>

#include "core/operations/operation_definition.h"
#include "core/operations/parameters/resize_parameters.h"

namespace nnvk::cpu {

struct BilinearRow {
  const std::byte* low = nullptr;  // input rows
  const std::byte* high = nullptr;
  float weight = 0;  // of the higher row
  std::span<const ResizeTap> columns;
  size_t channels = 0;
  std::byte* out = nullptr;
};

// Computes a row whose elements are floats or bytes, signed or not.
void interpolate_row(OperandType type, const BilinearRow& row);

}  // namespace nnvk::cpu
