// Vulkan's functions, loaded for one instance or device alone: devices of several loaders live side by side in one process.
#pragma once

#include <volk.h>

#include "core/base/result.h"
#include "vulkan/context/cooperative_matrix.h"

namespace nnvk::vulkan {

// What is asked about physical devices. Those of extensions may be null.
struct InstanceFunctions {
  PFN_vkGetDeviceProcAddr vkGetDeviceProcAddr = nullptr;
  PFN_vkEnumerateDeviceExtensionProperties vkEnumerateDeviceExtensionProperties = nullptr;
  PFN_vkGetPhysicalDeviceExternalBufferProperties vkGetPhysicalDeviceExternalBufferProperties = nullptr;
  PFN_vkGetPhysicalDeviceExternalFenceProperties vkGetPhysicalDeviceExternalFenceProperties = nullptr;
  PFN_vkGetPhysicalDeviceExternalSemaphoreProperties vkGetPhysicalDeviceExternalSemaphoreProperties = nullptr;
  PFN_vkGetPhysicalDeviceFeatures2 vkGetPhysicalDeviceFeatures2 = nullptr;
  PFN_vkGetPhysicalDeviceFormatProperties vkGetPhysicalDeviceFormatProperties = nullptr;
  PFN_vkGetPhysicalDeviceMemoryProperties vkGetPhysicalDeviceMemoryProperties = nullptr;
  PFN_vkGetPhysicalDeviceProperties vkGetPhysicalDeviceProperties = nullptr;
  PFN_vkGetPhysicalDeviceProperties2 vkGetPhysicalDeviceProperties2 = nullptr;
  PFN_vkGetPhysicalDeviceQueueFamilyProperties vkGetPhysicalDeviceQueueFamilyProperties = nullptr;
  PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT vkGetPhysicalDeviceCalibrateableTimeDomainsEXT = nullptr;
  PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR = nullptr;
};

// UNAVAILABLE_DEVICE naming a function of Vulkan 1.1 that is not there.
Result<InstanceFunctions> load_instance_functions(PFN_vkGetInstanceProcAddr get, VkInstance instance);

// Every function that is called through Context::vk(); others stay null. Those of extensions are null where the device has not
// enabled them, under the name of the extension also those that have become a part of Vulkan. Errors as above.
Result<VolkDeviceTable> load_device_functions(PFN_vkGetDeviceProcAddr get, VkDevice device);

}  // namespace nnvk::vulkan
