// A device's description for people: name, version, and the list that `nnvk devices` prints. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/runtime/device.h"
#include "vulkan/context/device_plan.h"
#include "vulkan/context/device_snapshot.h"

namespace nnvk::vulkan {

// "vulkan-llvmpipe": the device name up to a parenthesis, in lower case, with "-" for everything but letters and digits.
std::string device_name(const DeviceSnapshot& snapshot);

// Driver and its version: caches and measured times of one version are invalid for another.
std::string device_version(const DeviceSnapshot& snapshot);

// All that cached pipelines and packed weights depend on, besides name and version: ids, the driver's cache id, and all traits
// that kernel choice reads.
std::string cache_identity(const DeviceSnapshot& snapshot, const DevicePlan& plan);

// Groups "device", "driver", "limits", "memory", "features", "plan", "quirks".
std::vector<Property> device_properties(const DeviceSnapshot& snapshot, const DevicePlan& plan);

}  // namespace nnvk::vulkan
