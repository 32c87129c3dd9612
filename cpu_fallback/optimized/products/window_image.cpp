#include "cpu_fallback/optimized/products/window_image.h"

#include <algorithm>

#include "core/operations/parameters/window_axis.h"

namespace nnvk::cpu {
namespace {

// Returns how many rows or columns the windows of all outputs cover, from the first cell of the first window on.
size_t covered(uint32_t outputs, int32_t stride, uint32_t cells, int32_t dilation) {
  return size_t{outputs - 1} * static_cast<size_t>(stride) + size_t{cells - 1} * static_cast<size_t>(dilation) + 1;
}

// Shorter runs cost less than the question whether they are needed.
constexpr size_t kShortestSkippedRun = 64;
constexpr size_t kMostSkippedRuns = 64;  // bits of ProductRows::runs_of()

}  // namespace

WindowImage::WindowImage(const WindowParameters& p, bool always_copy) : p_(p) {
  const size_t height = covered(p.out_height, p.stride_height, p.filter_height, p.dilation_height);
  const size_t width = covered(p.out_width, p.stride_width, p.filter_width, p.dilation_width);
  is_copied_ = always_copy || p.pad_top != 0 || p.pad_left != 0 || height > p.in_height || width > p.in_width;
  if (is_copied_) {
    top_ = static_cast<size_t>(p.pad_top);
    left_ = static_cast<size_t>(p.pad_left);
  }
  height_ = is_copied_ ? height : p.in_height;
  row_ = (is_copied_ ? std::max(width, left_) : p.in_width) * p.in_channels;
  const size_t group_channels = p.in_channels / static_cast<size_t>(p.groups);
  const bool rows_are_runs = p.dilation_width == 1 && p.groups == 1;
  depth_ = rows_are_runs ? p.filter_width * group_channels : group_channels;
  for (size_t i = 0; i < p.filter_height; ++i) {
    const size_t row = i * static_cast<size_t>(p.dilation_height) * row_;
    for (size_t j = 0; j < (rows_are_runs ? 1 : p.filter_width); ++j) {
      taps_.push_back(row + j * static_cast<size_t>(p.dilation_width) * p.in_channels);
    }
  }
  if (is_copied_ && depth_ >= kShortestSkippedRun && taps_.size() <= kMostSkippedRuns) find_reach(rows_are_runs);
}

void WindowImage::find_reach(bool rows_are_runs) {
  const WindowAxis vertical = vertical_axis(p_);
  const WindowAxis horizontal = horizontal_axis(p_);
  for (uint32_t i = 0; i < p_.filter_height; ++i) {
    const IndexRange rows = outputs_of_tap(vertical, i);
    for (uint32_t j = 0; j < (rows_are_runs ? 1 : p_.filter_width); ++j) {
      const IndexRange columns = rows_are_runs ? IndexRange{0, p_.out_width} : outputs_of_tap(horizontal, j);
      reach_.push_back({rows, columns});
    }
  }
}

void WindowImage::copy_widened(const std::byte* from, int16_t* to, const Quant8Operands& operands, ThreadPool& threads) const {
  const bool is_signed = operands.is_signed_image;
  const int32_t zero_point = operands.image_zero_point;
  copy(
      threads, [=](size_t at, size_t count) { std::fill_n(to + at, count, int16_t{0}); },
      [=](size_t source, size_t at, size_t count) { widen_quant8(from + source, is_signed, zero_point, to + at, count); });
}

ProductRows WindowImage::rows() const {
  ProductRows rows;
  rows.width = p_.out_width;
  rows.height = p_.out_height;
  rows.x_step = static_cast<size_t>(p_.stride_width) * p_.in_channels;
  rows.y_step = static_cast<size_t>(p_.stride_height) * row_;
  rows.batch_step = height_ * row_;
  rows.taps = taps_;
  rows.depth = depth_;
  rows.reach = reach_;
  return rows;
}

}  // namespace nnvk::cpu
