// How a window operation reads its channels-last image: in place, or from a copy in scratch memory. The copy includes the
// padding, and converted values if the kernel needs them, so that kernels need no branches at the edges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/operations/parameters/window_parameters.h"
#include "cpu_fallback/optimized/products/packed_weights.h"
#include "cpu_fallback/optimized/products/product_rows.h"
#include "cpu_fallback/optimized/thread_pool.h"

namespace nnvk::cpu {

class WindowImage {
 public:
  // `always_copy`: the values have to be converted.
  WindowImage(const WindowParameters& p, bool always_copy);

  bool is_copied() const { return is_copied_; }
  size_t copied_elements() const { return is_copied_ ? size_t{p_.batches} * height_ * row_ : 0; }
  size_t pixels() const { return size_t{p_.batches} * p_.out_height * p_.out_width; }
  // Returns the factors' positions in the copy or the image; for one group of channels they are relative to the group's first
  // channel.
  ProductRows rows() const;

  // Copies values unchanged.
  template <class T>
  void copy_values(const T* from, T* to, T padding, ThreadPool& threads) const {
    copy(
        threads, [=](size_t at, size_t count) { std::fill_n(to + at, count, padding); },
        [=](size_t source, size_t at, size_t count) { std::copy_n(from + source, count, to + at); });
  }
  // Copies 8-bit values minus their zero point.
  void copy_widened(const std::byte* from, int16_t* to, const Quant8Operands& operands, ThreadPool& threads) const;

 private:
  void find_reach(bool rows_are_runs);
  // Makes the copy: fill(to, count) sets padding, convert(from, to, count) values.
  template <class Fill, class Convert>
  void copy(ThreadPool& threads, const Fill& fill, const Convert& convert) const {
    constexpr double kNanosecondsPerElement = 0.1;
    threads.parallel_rows(size_t{p_.batches} * height_, kNanosecondsPerElement * static_cast<double>(row_), 1,
                          [&](size_t first, size_t end) {
                            for (size_t row = first; row < end; ++row) copy_row(row, fill, convert);
                          });
  }
  template <class Fill, class Convert>
  void copy_row(size_t row, const Fill& fill, const Convert& convert) const;

  const WindowParameters p_;
  bool is_copied_ = false;
  size_t height_ = 0;  // rows of a batch, of the copy or of the image
  size_t row_ = 0;     // elements of a row
  size_t left_ = 0;    // padding of the copy, in pixels
  size_t top_ = 0;
  std::vector<size_t> taps_;
  std::vector<RunReach> reach_;
  size_t depth_ = 0;
};

template <class Fill, class Convert>
void WindowImage::copy_row(size_t row, const Fill& fill, const Convert& convert) const {
  const size_t channels = p_.in_channels;
  const size_t batch = row / height_;
  const size_t y = row % height_;
  const size_t to = row * row_;
  if (y < top_ || y - top_ >= p_.in_height) return fill(to, row_);
  const size_t width = row_ / channels;
  const size_t columns = std::min<size_t>(p_.in_width, width - std::min(width, left_));
  const size_t source_row = batch * p_.in_height + y - top_;
  fill(to, left_ * channels);
  convert(source_row * p_.in_width * channels, to + left_ * channels, columns * channels);
  fill(to + (left_ + columns) * channels, row_ - (left_ + columns) * channels);
}

}  // namespace nnvk::cpu
