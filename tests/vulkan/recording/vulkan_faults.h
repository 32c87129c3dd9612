// Makes calls of one VkDevice fail, or its work never end, to test the effects on everything else. Vulkan's function pointers
// carry no state, so a process has only one set of faults.
#pragma once

#include <volk.h>

#include <limits>

namespace nnvk::vulkan::faults {

inline constexpr int kNever = std::numeric_limits<int>::max();

struct Faults {
  // The call with this number (from 0) returns VK_ERROR_DEVICE_LOST. A submission then does not reach the driver. A wait does,
  // because a lost device runs no more work.
  int lose_at = kNever;
  // Submissions from this one on (from 0) return success, but are held back: their fences never signal.
  int hang_at = kNever;
};

// Wraps every function of the table that returns a VkResult. Calls are counted from here on.
void install(VolkDeviceTable& functions, const Faults& wanted);
void change(const Faults& wanted);
int calls();
int submissions();
int installations();  // since the process began

// Passes the held submissions to the driver, like a device that was only slow. No other thread may submit meanwhile.
void go_on();

}  // namespace nnvk::vulkan::faults
