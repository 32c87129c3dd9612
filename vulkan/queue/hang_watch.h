// Decides when nnvk gives up waiting for a submission and treats the device as hanging. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "vulkan/queue/standstill.h"

namespace nnvk::vulkan {

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
