// A device's snapshot as JSON, to write one down on one machine and choose kernels for it on another.
#pragma once

#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "vulkan/context/device_snapshot.h"

namespace nnvk::api {

// Everything that a snapshot has, under its own names.
nlohmann::ordered_json snapshot_to_json(const vulkan::DeviceSnapshot& snapshot);

// The reverse. Members that are not there keep what an unknown device has. BAD_DATA naming a member that is not as it should be.
Result<vulkan::DeviceSnapshot> snapshot_from_json(const nlohmann::ordered_json& json);

}  // namespace nnvk::api
