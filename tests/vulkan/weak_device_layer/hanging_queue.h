// Queues that accept work and never finish it, while a test has switched this on.
#pragma once

#include <vulkan/vulkan.h>

namespace nnvk::weak_device {

// Call this before destroying an object of the device. It ends the process while the device has unfinished work, since that may
// use any object. `call`: the name of the destroying function.
void check_may_destroy(VkDevice device, const char* call);

// The functions that see to it, by name; null for all others.
PFN_vkVoidFunction hanging_function(const char* name);

}  // namespace nnvk::weak_device

// 1: every submission from now on is taken and not made. 0: those that were taken are made. Tests find it by dlsym().
extern "C" void nnvk_weak_device_hang(int hangs);
