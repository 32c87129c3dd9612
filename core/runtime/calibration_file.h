// Where calibrations are kept: a file per device in the user's cache folder, for these kernels on this machine.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/runtime/calibration.h"

namespace nnvk {

// $XDG_CACHE_HOME/nnvk or ~/.cache/nnvk; nullopt where there is neither, and in processes with more rights than their user.
std::optional<std::string> calibration_folder();

// The costs that were kept in `folder` for this device. Those of another device, driver, processor or of other kernels, and files
// that are damaged, are an error that says so.
Result<MeasuredCosts> read_calibration(const std::string& folder, const DeviceInfo& device);
// Replaces the device's file in one step; makes the folder. Returns its path.
Result<std::string> keep_calibration(const std::string& folder, const DeviceInfo& device, const Calibration& calibration);

}  // namespace nnvk
