// How long a device has completed nothing, as far as this process could watch.
#pragma once

#include <algorithm>
#include <chrono>

namespace nnvk::vulkan {

// A process that was stopped meanwhile, by a debugger, a terminal or for want of a processor, has seen one long step between two
// looks. The device may have completed its work in that step and nobody has asked yet: no step counts for more than a second.
class Standstill {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kLongestStep{1};

  // `since`: when the device could begin.
  explicit Standstill(Time since) : last_(since) {}

  // To be called every few hundred milliseconds. What has been watched so far.
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
