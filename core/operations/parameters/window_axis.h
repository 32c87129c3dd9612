// One axis of a convolution: the outputs that a filter tap serves, and the taps that read the image. Small images under wide
// dilations leave taps that read only padding. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/operations/parameters/window_parameters.h"

namespace nnvk {

// The sizes of an axis in elements. Height or width; the convolution is not transposed.
struct WindowAxis {
  int64_t in;
  int64_t out;
  int64_t taps;
  int64_t head;  // padding before the image
  int64_t tail;  // padding behind it
  int64_t stride;
  int64_t dilation;
};
WindowAxis vertical_axis(const WindowParameters& window);
WindowAxis horizontal_axis(const WindowParameters& window);

// The numbers [first, end); none if `end` is not above `first`.
struct IndexRange {
  size_t first = 0;
  size_t end = 0;

  size_t count() const { return end > first ? end - first : 0; }
  bool operator==(const IndexRange&) const = default;
};

// Returns the outputs for which the tap lies inside the image.
IndexRange outputs_of_tap(const WindowAxis& axis, int64_t tap);

// Filters with more taps along an axis count as read throughout, so that huge declared filters cost no time.
inline constexpr int64_t kMostJudgedTaps = 4096;
// Returns the smallest range that holds all taps which read at least one element of the image.
IndexRange live_taps(const WindowAxis& axis);

}  // namespace nnvk
