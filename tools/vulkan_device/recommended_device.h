// An application's own VkDevice, with the extensions and features that nnvk recommends (nnvk/vulkan_interop.h). This code finds
// all Vulkan functions through DeviceChoice::functions, so programs with any loader can use it.
#pragma once

#include <nnvk/vulkan_interop.h>
#include <vulkan/vulkan.h>

#include <cstddef>
#include <vector>

#include "tools/nnapi/result.h"

namespace nnvk::tools {

struct DeviceChoice {
  PFN_vkGetInstanceProcAddr functions = nullptr;
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  uint32_t family = 0;  // of the device's only queue
};

// The caller destroys the device. It must not move this object while nnvk uses the description.
struct RecommendedDevice {
  DeviceChoice choice;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  std::vector<const char*> extensions;
  VkPhysicalDeviceFeatures2 features{};
  std::vector<std::byte> feature_arena;  // further structs of features' chain, made by nnvk

  // Makes the device, with `extensions` and those that nnvk names. An error names the call that failed.
  Status make(const DeviceChoice& of);
  // Makes it with `extensions` and `features` as they are.
  Status make_plain(const DeviceChoice& of);
  // Describes the device for nnvk_vkImportDevice(); it points into this object. The caller adds queue, recording and callbacks.
  NnvkVkDeviceDesc description(uint32_t api_version) const;
};

}  // namespace nnvk::tools
