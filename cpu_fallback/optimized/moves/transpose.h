// Transposed matrices: between channels-last and channels-first images, and for other dimensions that change places.
#pragma once

#include <cstddef>

#include "cpu_fallback/optimized/moves/run_copies.h"
#include "cpu_fallback/optimized/thread_pool.h"

namespace nnvk::cpu {

struct MatrixStack {
  size_t count = 0;
  size_t rows = 0;
  size_t columns = 0;
};

// Computes to[i][c][r] = from[i][r][c], for elements of 1, 2 or 4 bytes.
void transpose_matrices(const std::byte* from, std::byte* to, const MatrixStack& shape, size_t element, ThreadPool& threads);

// One matrix with elements of 1, 2, 4, 8 or 16 bytes. Rows of `from` become columns of `to`; a step leads to the next row.
struct TransposedMatrix {
  RunsToRead from;
  RunsToWrite to;
  size_t rows = 0;     // of `from`
  size_t columns = 0;  // of `from`
};

// Cuts matrices into blocks so small that source and destination of a block stay in the first-level cache.
class TransposedBlocks {
 public:
  TransposedBlocks() = default;
  TransposedBlocks(size_t rows, size_t columns, size_t element);
  size_t count() const { return down_ * across_; }
  // Returns about how many nanoseconds an average block takes.
  double nanoseconds() const { return 5 + 0.25 * cells_ / static_cast<double>(count()); }
  // Transposes blocks [first, end) of a matrix of this shape.
  void run(const TransposedMatrix& matrix, size_t first, size_t end) const;

 private:
  size_t element_ = 0;
  size_t block_columns_ = 0;
  size_t down_ = 0;
  size_t across_ = 0;
  double cells_ = 0;
};

}  // namespace nnvk::cpu
