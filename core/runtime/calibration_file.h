// Stores calibrations: a file per device in the user's cache folder, for these kernels on this machine.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/runtime/calibration.h"

namespace nnvk {

// $XDG_CACHE_HOME/nnvk or ~/.cache/nnvk; nullopt if neither exists, and in processes with more rights than their user.
std::optional<std::string> calibration_folder();

// The costs stored in `folder` for this device. Damaged files, and those of another device, driver, processor or of other
// kernels, give an error with the reason.
Result<MeasuredCosts> read_calibration(const std::string& folder, const DeviceInfo& device);
// Replaces the device's file in one step; makes the folder. Returns its path.
Result<std::string> keep_calibration(const std::string& folder, const DeviceInfo& device, const Calibration& calibration);

}  // namespace nnvk
