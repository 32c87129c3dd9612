// What an application may use of a physical device: what it has enabled, never what the device could do. Pure.
#pragma once

#include <volk.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "vulkan/context/device_snapshot.h"

namespace nnvk::vulkan {

// As the application made its VkDevice.
struct Declaration {
  uint32_t api_version = VK_API_VERSION_1_1;            // of its instance
  std::set<std::string> extensions;                     // of the device
  const VkPhysicalDeviceFeatures2* features = nullptr;  // null: none
};

// Extensions that we make use of, best known first; all of them only help.
std::vector<const char*> used_extensions();

// `supported` (read_snapshot()) without all that was not enabled. Extensions that are a part of the Vulkan version count as
// enabled: their features decide. BAD_DATA naming an extension or a feature that is declared and that the physical device does
// not have: no such device can have been made.
Result<DeviceSnapshot> as_declared(DeviceSnapshot supported, const Declaration& declared);

}  // namespace nnvk::vulkan
