// Loads Vulkan's functions for one instance or device alone, so that one process can use devices of several loaders.
#pragma once

#include <volk.h>

#include "core/base/result.h"
#include "vulkan/context/cooperative_matrix.h"
#include "vulkan/context/device_function_list.h"

namespace nnvk::vulkan {

// The functions that query physical devices. Extension functions may be null.
struct InstanceFunctions {
#define NNVK_MEMBER(name) PFN_##name name = nullptr;
  NNVK_INSTANCE_FUNCTIONS(NNVK_MEMBER, NNVK_MEMBER)
#undef NNVK_MEMBER
};

// Loads the functions. If a Vulkan 1.1 function is missing, returns UNAVAILABLE_DEVICE with its name.
Result<InstanceFunctions> load_instance_functions(PFN_vkGetInstanceProcAddr get, VkInstance from);

// Loads every function that nnvk calls through Context::vk(); all other functions stay null. A function of an extension is null
// if the device has not enabled the extension, and keeps the extension's name even in core Vulkan. Errors are those of
// load_instance_functions().
Result<VolkDeviceTable> load_device_functions(PFN_vkGetDeviceProcAddr get, VkDevice from);

}  // namespace nnvk::vulkan
