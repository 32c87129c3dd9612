// Decides when nnvk gives up waiting for a submission and treats the device as hanging. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

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

// The limits for one submission. They count only time that this process could observe.
struct HangLimits {
  // How long the device may complete nothing; 0: without limit.
  std::chrono::milliseconds standstill{0};
  // How long the device may complete nothing during a shut-down; nothing: no further limit.
  std::optional<std::chrono::milliseconds> at_end;
};

class HangWatch {
 public:
  using Time = Standstill::Time;
  // How long submissions may take to end when the device is lost. Drivers end them at once, but a device that was only reported
  // as lost may still be working.
  static constexpr std::chrono::milliseconds kPatienceWithLost{2000};

  // `since`: when the device could begin the submission.
  explicit HangWatch(Time since) : standstill_(since) {}

  // Returns why the device hangs, as the rest of a sentence; nothing if it does not hang. Call it every few hundred milliseconds.
  // If memory for the text runs out, the next call returns the text.
  std::optional<std::string> look(Time now, bool is_lost, const HangLimits& limits);

 private:
  Standstill standstill_;
  std::optional<Standstill> standstill_at_end_;
  std::optional<Time> lost_since_;
};

}  // namespace nnvk::vulkan
