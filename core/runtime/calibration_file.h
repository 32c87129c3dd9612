// Stores calibrations: a file per device in the user's cache folder. A file is valid only for the kernels and the processor that
// it was measured with.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/runtime/calibration.h"

namespace nnvk {

// $XDG_CACHE_HOME/nnvk or ~/.cache/nnvk. Nothing if neither variable has an absolute path, and in processes with more rights than
// their user (set-user-ID).
std::optional<std::string> calibration_folder();

// The costs stored in `folder` for this device. Damaged files, and those of another device, driver, processor or of other
// kernels, give an error with the reason.
Result<MeasuredCosts> read_calibration(const std::string& folder, const DeviceInfo& device);
// Replaces the device's file atomically; creates the folder if it is missing. Returns the file's path.
Result<std::string> keep_calibration(const std::string& folder, const DeviceInfo& device, const Calibration& calibration);

}  // namespace nnvk
