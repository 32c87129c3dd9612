// Queues that accept work and never finish it, while a test has switched this on, or from the submission on that a word names.
#pragma once

#include <vulkan/vulkan.h>

namespace nnvk::weak_device {

// Call this before destroying an object of the device. It ends the process while the device has unfinished work, since that may
// use any object. `call`: the name of the destroying function. A device that hangs because of a word is not checked: nobody chose
// the moment, so the library may still be freeing objects of runs that ended before.
void check_may_destroy(VkDevice device, const char* call);

// The layer's functions that implement this, by name; null for all others.
PFN_vkVoidFunction hanging_function(const char* name);

}  // namespace nnvk::weak_device

// 1: submissions from now on return success, but are held back. 0: passes the held ones to the driver. Tests find this by
// dlsym().
extern "C" void nnvk_weak_device_hang(int hangs);
