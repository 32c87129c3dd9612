// Makes an application's own VkDevice with the extensions and features that nnvk recommends (nnvk/vulkan_interop.h). It finds all
// Vulkan functions through DeviceChoice::functions, so that programs with any loader can use it.
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

// The caller must destroy `device`, and must not move this object while nnvk uses the description.
struct RecommendedDevice {
  DeviceChoice choice;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  std::vector<const char*> extensions;
  VkPhysicalDeviceFeatures2 features{};
  std::vector<std::byte> feature_arena;  // further structs of features' chain, made by nnvk

  // Makes the device with `extensions` and those that nnvk recommends. An error names the Vulkan call that failed.
  Status make(const DeviceChoice& of);
  // Makes the device with exactly `extensions` and `features`.
  Status make_plain(const DeviceChoice& of);
  // Describes the device for nnvk_vkImportDevice(); points into this object. The caller adds queue, recording and callbacks.
  NnvkVkDeviceDesc description(uint32_t api_version) const;
};

}  // namespace nnvk::tools
