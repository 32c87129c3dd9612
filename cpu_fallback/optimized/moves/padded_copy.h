// A tensor copied into the middle of a larger one, and the border filled, in one pass over the result.
#pragma once

#include <vector>

#include "core/operations/operation_definition.h"
#include "core/operations/parameters/slicing_padding_parameters.h"
#include "cpu_fallback/optimized/moves/run_copies.h"
#include "cpu_fallback/optimized/thread_pool.h"

namespace nnvk::cpu {

class PaddedCopy {
 public:
  // `element`: an element of the border in its low `width` bytes.
  PaddedCopy(const Shape& shape, std::span<const PaddingPair> paddings, int32_t element, size_t width);
  void run(const std::byte* from, std::byte* to, ThreadPool& threads) const;

 private:
  // Size and paddings of a dimension: bytes for the innermost one, else positions.
  struct Axis {
    size_t before = 0;
    size_t size = 1;
    size_t after = 0;
    size_t all() const { return before + size + after; }
    bool is_padded() const { return before + after > 0; }
  };

  void fill(std::byte* to, size_t rows) const;
  void copy(const std::byte* from, std::byte* to, size_t rows) const;
  void make_rows(const std::byte* from, std::byte* to, size_t first, size_t end) const;

  FillPattern pattern_;
  std::vector<Axis> outer_;  // not the two innermost
  Axis rows_;
  Axis row_;
};

}  // namespace nnvk::cpu
