// The matrices that BATCH_MATMUL multiplies, as its kernels walk them.
#pragma once

#include <cstdint>

#include "core/model/operand.h"

namespace nnvk {

// One [height, width] matrix of a batch, seen as [rows, columns] after the optional transposition: element (r, c) lies at
// r * row_stride + c * column_stride of the matrix.
struct BatchedMatrix {
  uint32_t rows = 0;
  uint32_t columns = 0;
  uint32_t row_stride = 0;
  uint32_t column_stride = 0;
};

// `shape` has a rank of at least 2 and known dimensions.
inline BatchedMatrix batched_matrix(const Shape& shape, bool adjoint) {
  const uint32_t height = shape[shape.rank() - 2];
  const uint32_t width = shape[shape.rank() - 1];
  return adjoint ? BatchedMatrix{width, height, 1, width} : BatchedMatrix{height, width, width, 1};
}

}  // namespace nnvk
