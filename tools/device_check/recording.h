// Records a network into command buffers of a VkDevice that is not the library's, as games do, and checks its results.
#pragma once

#include "tools/device_check/result.h"
#include "tools/nnapi/devices.h"

namespace nnvk::tools::device_check {

// Runs a convolution for about `seconds` in an application's command buffers on the physical device of `device`, and compares
// each frame with the reference device. `physical_index`: its place among the physical devices of Vulkan's loader. Returns
// {"frames", "wrong", "record_median_us", "record_p99_us", "frame_median_us", "frame_p99_us"}, or {"not_possible": reason}.
Result<Json> measure_recording(const DeviceEntry& device, size_t physical_index, double seconds);

}  // namespace nnvk::tools::device_check
