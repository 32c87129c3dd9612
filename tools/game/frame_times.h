// The figures of a game's frame times.
#pragma once

#include <cstddef>
#include <vector>

namespace nnvk::game {

struct FrameTimes {
  size_t frames = 0;
  double median = 0;   // milliseconds, as all others
  double p99 = 0;      // one frame in a hundred takes longer
  double largest = 0;  // after the first second
  double ratio = 0;    // of the largest to the median; 0 if no frame came after the first second
};

// `milliseconds`: the time from each frame to the next, in their order.
FrameTimes summarize(const std::vector<double>& milliseconds);

}  // namespace nnvk::game
