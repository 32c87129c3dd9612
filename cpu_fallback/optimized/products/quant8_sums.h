// Multiplies rows of bytes by a constant matrix of bytes into 32-bit sums, for operations that scale sums in ways of their own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu_fallback/optimized/aligned_buffer.h"
#include "cpu_fallback/optimized/products/packed_weights.h"
#include "cpu_fallback/optimized/thread_pool.h"

namespace nnvk::cpu {

class Quant8Sums {
 public:
  // Sums of (value - zero point) * (weight - its zero point) over `depth` values, plus the bias; `weights` is [outputs, depth].
  struct Matrix {
    size_t outputs = 0;
    size_t depth = 0;
    Quant8Operands operands;  // the "image" is the rows
    const std::byte* weights = nullptr;
    const int32_t* bias = nullptr;  // null: none
  };

  Quant8Sums() : Quant8Sums(Matrix{}) {}
  explicit Quant8Sums(const Matrix& matrix);

  // Returns the distance from the sums of one row to those of the next.
  size_t step() const { return panels_.count * quant8_form().lanes; }
  size_t scratch_bytes(size_t rows) const;
  // Writes sums[r * step() + output] for all rows.
  void run(const std::byte* values, size_t rows, std::byte* scratch, int32_t* sums, ThreadPool& threads) const;

 private:
  size_t depth_;
  Quant8Operands operands_;
  Quant8Panels panels_;
  AlignedBuffer<std::byte> weights_;
  AlignedBuffer<int32_t> bias_;
};

}  // namespace nnvk::cpu
