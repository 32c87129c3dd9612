// Locates the values of an image or a matrix that are the factors of one output pixel; all its channels share them.
#pragma once

#include <cstddef>
#include <span>

namespace nnvk::cpu {

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

  size_t start(size_t m) const {
    const size_t y = m / width;
    return m % width * x_step + y % height * y_step + y / height * batch_step;
  }
};

// Walks the starts of neighbouring output pixels without divisions.
class RowWalk {
 public:
  RowWalk(const ProductRows& rows, size_t m)
      : rows_(rows), x_(m % rows.width), y_(m / rows.width % rows.height), at_(rows.start(m)) {}
  size_t at() const { return at_; }
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
