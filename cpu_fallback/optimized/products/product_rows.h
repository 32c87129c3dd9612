// Locates the values of an image or a matrix that are the factors of one output pixel; all its channels share them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/operations/parameters/window_axis.h"

namespace nnvk::cpu {

// The output rows and columns for which a run reads the image and not only padding.
struct RunReach {
  IndexRange rows;
  IndexRange columns;
};

// The factors of output pixel m are runs of `depth` values; run t begins at value start(m) + taps[t] of the image. A filter row
// over neighbouring pixels is one run. Units: elements.
struct ProductRows {
  size_t width = 1;   // output pixels in a row
  size_t height = 1;  // rows in a batch
  size_t x_step = 0;
  size_t y_step = 0;
  size_t batch_step = 0;
  std::span<const size_t> taps;
  size_t depth = 0;
  // One per run, at most 64; empty if all runs read the image for nearly all pixels, or if runs are too short to be skipped.
  std::span<const RunReach> reach;

  size_t start(size_t m) const {
    const size_t y = m / width;
    return m % width * x_step + y % height * y_step + y / height * batch_step;
  }
  // Returns a bit for each run (0: run 0) that reads the image for one of `count` pixels from column `x` of row `y` on. The bits
  // of other runs may be set too.
  uint64_t runs_of(size_t x, size_t y, size_t count) const { return reach.empty() ? ~uint64_t{0} : reaching_runs(x, y, count); }

 private:
  // Never inlined: few products need it, and the compiler would prepare its vectors for every tile of the others.
  uint64_t reaching_runs(size_t x, size_t y, size_t count) const;
};

// Returns the factors of a matrix with `rows` rows of `depth` values: each row is an output pixel.
inline ProductRows matrix_rows(size_t rows, size_t depth) {
  static constexpr size_t kOneRun[] = {0};
  return {.width = rows, .x_step = depth, .taps = kOneRun, .depth = depth, .reach = {}};
}

// Walks the starts of neighbouring output pixels without divisions.
class RowWalk {
 public:
  RowWalk(const ProductRows& rows, size_t m)
      : rows_(rows), x_(m % rows.width), y_(m / rows.width % rows.height), at_(rows.start(m)) {}
  size_t at() const { return at_; }
  // Returns the runs that `count` pixels from here on need; see ProductRows::runs_of().
  uint64_t runs(size_t count) const { return rows_.runs_of(x_, y_, count); }
  void next() {
    at_ += rows_.x_step;
    if (++x_ < rows_.width) return;
    x_ = 0;
    at_ += rows_.y_step - rows_.width * rows_.x_step;
    if (++y_ < rows_.height) return;
    y_ = 0;
    at_ += rows_.batch_step - rows_.height * rows_.y_step;
  }

 private:
  const ProductRows& rows_;
  size_t x_;
  size_t y_;
  size_t at_;
};

}  // namespace nnvk::cpu
