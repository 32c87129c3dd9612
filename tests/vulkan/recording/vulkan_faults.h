// Makes calls of one VkDevice fail, or its work never end, to test the effects on everything else. Vulkan's function pointers
// carry no state, so a process has only one set of faults.
#pragma once

#include <volk.h>

#include <limits>

namespace nnvk::vulkan::faults {

inline constexpr int kNever = std::numeric_limits<int>::max();

struct Faults {
  // The call with this number (from 0) returns VK_ERROR_DEVICE_LOST. A submission is not made then; a wait is made all the same:
  // a lost device is at rest.
  int lose_at = kNever;
  // Submissions from this one on (from 0) are accepted and not made: their fences never signal.
  int hang_at = kNever;
};

// Puts itself before every function of the table that returns a VkResult. Calls are counted from here on.
void install(VolkDeviceTable& functions, const Faults& wanted);
void change(const Faults& wanted);
int calls();
int submissions();
int installations();  // since the process began

// Makes the held submissions after all, like a device that was only slow. No other thread may submit meanwhile.
void go_on();

}  // namespace nnvk::vulkan::faults
