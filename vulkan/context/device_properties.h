// A device's description for people: name, version, and the list that `nnvk devices` prints. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/runtime/device.h"
#include "vulkan/context/device_plan.h"
#include "vulkan/context/device_snapshot.h"

namespace nnvk::vulkan {

// Returns "vulkan-llvmpipe": the device name up to a parenthesis, in lower case, with "-" for everything but letters and digits.
std::string device_name(const DeviceSnapshot& snapshot);

// Returns `name`, or with a number at the end, "vulkan-llvmpipe-2", the first such name that is not taken.
template <class IsTaken>
std::string free_name(const std::string& name, const IsTaken& is_taken) {
  if (!is_taken(name)) return name;
  int number = 2;
  while (is_taken(name + "-" + std::to_string(number))) ++number;
  return name + "-" + std::to_string(number);
}

// Returns the names and versions of the driver and of Vulkan. Caches and measured times are valid only while this text is the
// same.
std::string device_version(const DeviceSnapshot& snapshot);

// Returns all that cached pipelines and packed weights depend on, besides name and version: ids, the driver's cache id, and all
// traits that kernel choice reads.
std::string cache_identity(const DeviceSnapshot& snapshot, const DevicePlan& plan);

// Returns the properties in the groups "device", "driver", "limits", "memory", "features", "plan", "quirks".
std::vector<Property> device_properties(const DeviceSnapshot& snapshot, const DevicePlan& plan);

}  // namespace nnvk::vulkan
