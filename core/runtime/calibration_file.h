// Stores calibrations: a file per device in the user's cache folder, valid only for the kernels and processor that were measured.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/runtime/calibration.h"

namespace nnvk {

// Returns the costs stored in `folder`. A damaged file, or one for another device, driver, processor or kernel, gives an error.
Result<MeasuredCosts> read_calibration(const std::string& folder, const DeviceInfo& device);
// Replaces the device's file atomically; creates the folder if it is missing. Returns the file's path.
Result<std::string> keep_calibration(const std::string& folder, const DeviceInfo& device, const Calibration& calibration);

}  // namespace nnvk
