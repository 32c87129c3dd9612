#include "core/operations/parameters/live_taps.h"

#include <algorithm>

namespace nnvk {
namespace {

struct Axis {
  int64_t in;
  int64_t out;
  int64_t taps;
  int64_t pad;
  int64_t stride;
  int64_t dilation;

  // Returns whether an output exists for which the tap lies inside the image.
  bool is_live(int64_t tap) const {
    const int64_t start = tap * dilation - pad;  // the position that the tap reads for the first output
    const int64_t skipped = start < 0 ? (-start + stride - 1) / stride : 0;
    return skipped < out && start + skipped * stride < in;
  }
  TapRange live() const {
    int64_t first = 0;
    int64_t end = taps;
    while (first < end && !is_live(first)) ++first;
    while (first < end && !is_live(end - 1)) --end;
    return {static_cast<uint32_t>(first), static_cast<uint32_t>(end - first)};
  }
};

}  // namespace

LiveTaps live_taps(const WindowParameters& w) {
  return {Axis{w.in_height, w.out_height, w.filter_height, w.pad_top, w.stride_height, w.dilation_height}.live(),
          Axis{w.in_width, w.out_width, w.filter_width, w.pad_left, w.stride_width, w.dilation_width}.live()};
}

}  // namespace nnvk
