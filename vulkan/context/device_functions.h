// Loads Vulkan's functions for one instance or device alone, so that one process can use devices of several loaders.
#pragma once

#include <volk.h>

#include "core/base/result.h"
#include "vulkan/context/cooperative_matrix.h"

namespace nnvk::vulkan {

// The functions that query physical devices. Extension functions may be null.
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

// Loads the functions. If a Vulkan 1.1 function is missing, returns UNAVAILABLE_DEVICE with its name.
Result<InstanceFunctions> load_instance_functions(PFN_vkGetInstanceProcAddr get, VkInstance instance);

// Loads every function that nnvk calls through Context::vk(); all other functions stay null. A function of an extension is null
// if the device has not enabled the extension, and keeps the extension's name even in core Vulkan. Errors are those of
// load_instance_functions().
Result<VolkDeviceTable> load_device_functions(PFN_vkGetDeviceProcAddr get, VkDevice device);

}  // namespace nnvk::vulkan
