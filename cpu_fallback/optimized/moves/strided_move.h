// A copy of elements between two strided layouts. Most data movement is such a copy: transposing, slicing, joining and so on.
#pragma once

#include <vector>

#include "cpu_fallback/optimized/moves/run_copies.h"
#include "cpu_fallback/optimized/moves/transpose.h"
#include "cpu_fallback/optimized/thread_pool.h"

namespace nnvk::cpu {

// One dimension of a copy, with the distances between neighbours in elements. When reading, 0 repeats and negative steps reverse.
struct MovedAxis {
  size_t size = 1;
  ptrdiff_t from = 0;
  ptrdiff_t to = 0;
};

// Offset of element [0, 0, ...], in elements.
struct MovedFrom {
  ptrdiff_t from = 0;
  ptrdiff_t to = 0;
};

// A copy between two layouts of a tensor. It merges dimensions that are contiguous in both layouts, and treats elements that stay
// neighbours as one wider element, so that few dimensions and long runs remain.
class StridedMove {
 public:
  // `axes` are sorted by their steps in `to`, outermost first; elements have `width` bytes.
  StridedMove(std::vector<MovedAxis> axes, MovedFrom start, size_t width);

  // Returns false if run() cannot make the copy, because more dimensions remain after merging than run() can iterate over.
  bool is_possible() const { return outer_.size() <= kMostOuterAxes; }
  // Makes the copy. `from` and `to` point into their tensors.
  void run(const std::byte* from, std::byte* to, ThreadPool& threads) const;

 private:
  static constexpr size_t kMostOuterAxes = 10;
  enum class Way : uint8_t { kNothing, kPieces, kRuns, kRepeats, kElements, kBlocks };

  void merge_axes(std::vector<MovedAxis>& axes);
  void choose_way();
  double nanoseconds_per_row() const;
  void move_rows(RunsToRead from, RunsToWrite to, size_t row, size_t count) const;
  template <class Visit>
  void visit_rows(size_t first, size_t end, const Visit& visit) const;

  Way way_ = Way::kNothing;
  size_t run_ = 0;                // bytes that lie together on both sides
  std::vector<MovedAxis> outer_;  // steps in bytes, as from here on
  MovedAxis row_;                 // the innermost dimension of runs
  MovedAxis column_;              // kBlocks: the dimension that is dense in `from`; row_ is dense in `to`
  TransposedBlocks blocks_;
  size_t rows_ = 1;       // units of work per position of the outer dimensions
  size_t positions_ = 1;  // of the outer dimensions
  MovedFrom start_;
};

}  // namespace nnvk::cpu
