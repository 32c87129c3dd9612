// Finds the part of a physical device that an application may use: all that it enabled, not all that the device supports. Pure.
#pragma once

#include <volk.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "vulkan/context/device_snapshot.h"

namespace nnvk::vulkan {

// How the application created its VkDevice.
struct Declaration {
  uint32_t api_version = VK_API_VERSION_1_1;            // of its instance
  std::set<std::string> extensions;                     // of the device
  const VkPhysicalDeviceFeatures2* features = nullptr;  // null: none
};

// Returns the optional extensions that nnvk uses, the most widespread first.
std::vector<const char*> used_extensions();

// Removes from `supported` (read_snapshot()) all that the application did not enable. Extensions that its Vulkan version includes
// count as enabled; their features decide. BAD_DATA names a declared extension or feature that the physical device lacks.
Result<DeviceSnapshot> as_declared(DeviceSnapshot supported, const Declaration& declared);

}  // namespace nnvk::vulkan
