// Measures how long a device has completed nothing, as far as this process could observe it.
#pragma once

#include <algorithm>
#include <chrono>

namespace nnvk::vulkan {

// Adds up the time in which the device completes nothing. If a debugger, a terminal or a lack of processor time stopped this
// process, much time passes between two calls of look(). Meanwhile the device may have completed its work unnoticed, so no step
// counts for more than a second.
class Standstill {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kLongestStep{1};

  // `since`: the earliest time at which the device could begin.
  explicit Standstill(Time since) : last_(since) {}

  // Returns the total time observed so far. Call it every few hundred milliseconds.
  std::chrono::nanoseconds look(Time now) {
    watched_ += std::clamp<std::chrono::nanoseconds>(now - last_, std::chrono::nanoseconds(0), kLongestStep);
    last_ = now;
    return watched_;
  }

 private:
  Time last_;
  std::chrono::nanoseconds watched_{0};
};

}  // namespace nnvk::vulkan
