#include "tools/game/frame_times.h"

#include <algorithm>

namespace nnvk::game {

FrameTimes summarize(const std::vector<double>& milliseconds) {
  FrameTimes times{.frames = milliseconds.size()};
  if (milliseconds.empty()) return times;
  std::vector<double> sorted = milliseconds;
  std::ranges::sort(sorted);
  times.median = sorted[sorted.size() / 2];
  times.p99 = sorted[std::min(sorted.size() - 1, sorted.size() * 99 / 100)];
  double passed = 0;
  for (const double frame : milliseconds) {
    if (passed >= 1000) times.largest = std::max(times.largest, frame);
    passed += frame;
  }
  times.ratio = times.largest / times.median;
  return times;
}

}  // namespace nnvk::game
