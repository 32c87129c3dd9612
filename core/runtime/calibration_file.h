// Stores calibrations and probed speeds: a file of each per device in the user's cache folder, valid only for the kernels and the
// processor that were measured.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/calibration.h"

namespace nnvk {

// Returns the costs stored in `folder`. A damaged file, or one for another device, driver, processor or kernel, gives an error.
Result<MeasuredCosts> read_calibration(const std::string& folder, const DeviceInfo& device);
// Replaces the device's file atomically; creates the folder if it is missing. Returns the file's path.
Result<std::string> keep_calibration(const std::string& folder, const DeviceInfo& device, const Calibration& calibration);

// The same for the speed that a device has measured in a short probe, in the device's own format.
Result<std::vector<std::byte>> read_speed(const std::string& folder, const DeviceInfo& device);
Status keep_speed(const std::string& folder, const DeviceInfo& device, std::span<const std::byte> speed);

}  // namespace nnvk
