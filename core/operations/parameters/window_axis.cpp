#include "core/operations/parameters/window_axis.h"

#include <algorithm>

namespace nnvk {

WindowAxis vertical_axis(const WindowParameters& w) {
  return {w.in_height, w.out_height, w.filter_height, w.pad_top, w.pad_bottom, w.stride_height, w.dilation_height};
}

WindowAxis horizontal_axis(const WindowParameters& w) {
  return {w.in_width, w.out_width, w.filter_width, w.pad_left, w.pad_right, w.stride_width, w.dilation_width};
}

IndexRange outputs_of_tap(const WindowAxis& axis, int64_t tap) {
  const int64_t start = tap * axis.dilation - axis.head;  // the position that the tap reads for the first output
  const int64_t first = start < 0 ? (axis.stride - 1 - start) / axis.stride : 0;
  const int64_t end = start < axis.in ? (axis.in - 1 - start) / axis.stride + 1 : 0;
  return {static_cast<size_t>(first), static_cast<size_t>(std::clamp(end, int64_t{0}, axis.out))};
}

IndexRange live_taps(const WindowAxis& axis) {
  int64_t first = 0;
  int64_t end = axis.taps;
  if (axis.taps <= kMostJudgedTaps) {
    while (first < end && outputs_of_tap(axis, first).count() == 0) ++first;
    while (first < end && outputs_of_tap(axis, end - 1).count() == 0) --end;
  }
  return {static_cast<size_t>(first), static_cast<size_t>(end)};
}

}  // namespace nnvk
