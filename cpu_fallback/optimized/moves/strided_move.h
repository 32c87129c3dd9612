// A copy of elements between two strided layouts: transposing, slicing, joining and most other data movement is nothing else.
#pragma once

#include <array>
#include <vector>

#include "cpu_fallback/optimized/moves/run_copies.h"
#include "cpu_fallback/optimized/moves/transpose.h"
#include "cpu_fallback/optimized/thread_pool.h"

namespace nnvk::cpu {

// One dimension of a copy. Neighbours lie so many elements apart; when reading, 0 repeats and negative steps reverse.
struct MovedAxis {
  size_t size = 1;
  ptrdiff_t from = 0;
  ptrdiff_t to = 0;
};

// Where element [0, 0, ...] lies, in elements.
struct MovedFrom {
  ptrdiff_t from = 0;
  ptrdiff_t to = 0;
};

// Dimensions that lie dense behind each other become one, and neighbours that stay neighbours one wider element, so that few
// dimensions and long runs are left.
class StridedMove {
 public:
  // `axes` outermost first, by their steps in `to`; elements of `width` bytes.
  StridedMove(std::vector<MovedAxis> axes, MovedFrom start, size_t width);

  // False for more dimensions than run() keeps positions of.
  bool is_possible() const { return outer_.size() <= kMostOuterAxes; }
  // The copy. Both ends lie inside their tensors.
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
  MovedAxis column_;              // kBlocks: what lies together in `from`; row_ does in `to`
  TransposedBlocks blocks_;
  size_t rows_ = 1;       // units of work per position of the outer dimensions
  size_t positions_ = 1;  // of the outer dimensions
  MovedFrom start_;
};

}  // namespace nnvk::cpu
