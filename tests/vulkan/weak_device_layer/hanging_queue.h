// Queues that take work and never come to an end with it, from when a test says so until it says otherwise.
#pragma once

#include <vulkan/vulkan.h>

namespace nnvk::weak_device {

// To be called before something of the device is destroyed: ends the process while the device is at work that does not end, as
// everything may be in use. `call`: what destroys it.
void check_may_destroy(VkDevice device, const char* call);

// The functions that see to it, by name; null for all others.
PFN_vkVoidFunction hanging_function(const char* name);

}  // namespace nnvk::weak_device

// 1: every submission from now on is taken and not made. 0: those that were taken are made. Tests find it by dlsym().
extern "C" void nnvk_weak_device_hang(int hangs);
