// What a device tells people about itself: name, version, and the list behind `nnvk devices`. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/runtime/device.h"
#include "vulkan/context/device_plan.h"
#include "vulkan/context/device_snapshot.h"

namespace nnvk::vulkan {

// "vulkan-llvmpipe": the device name up to a parenthesis, in lower case, everything but letters and digits as "-".
std::string device_name(const DeviceSnapshot& snapshot);

// Driver and its version: caches and measured times of one version mean nothing to another.
std::string device_version(const DeviceSnapshot& snapshot);

// What kept pipelines and packed weights depend on besides name and version: ids, the driver's cache id, everything that kernel
// choice looks at.
std::string cache_identity(const DeviceSnapshot& snapshot, const DevicePlan& plan);

// Groups "device", "driver", "limits", "memory", "features", "plan", "quirks".
std::vector<Property> device_properties(const DeviceSnapshot& snapshot, const DevicePlan& plan);

}  // namespace nnvk::vulkan
