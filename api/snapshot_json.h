// A device's snapshot as JSON: record it on one machine and choose kernels for it on another.
#pragma once

#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "vulkan/context/device_snapshot.h"

namespace nnvk::api {

// Returns a JSON object with all members of a snapshot under their own names.
nlohmann::ordered_json snapshot_to_json(const vulkan::DeviceSnapshot& snapshot);

// Reads such an object. Missing members keep the values of an unknown device. BAD_DATA names an invalid member.
Result<vulkan::DeviceSnapshot> snapshot_from_json(const nlohmann::ordered_json& json);

}  // namespace nnvk::api
