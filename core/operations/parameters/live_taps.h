// The part of a filter that reads the image. Small images under wide dilations leave taps that read only padding. Pure.
#pragma once

#include "core/operations/parameters/window_parameters.h"

namespace nnvk {

// Neighbouring taps along one axis of a filter.
struct TapRange {
  uint32_t first = 0;
  uint32_t count = 0;

  bool operator==(const TapRange&) const = default;
};

struct LiveTaps {
  TapRange rows;
  TapRange columns;
};

// Returns the smallest ranges of rows and columns that hold every tap which reads at least one element of the image. A range is
// empty if no tap along its axis does. `window` is of a convolution that is not transposed.
LiveTaps live_taps(const WindowParameters& window);

}  // namespace nnvk
