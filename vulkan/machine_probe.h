// Measures a GPU's speed in about 20 ms, so that predictions do not rest on the figures of a typical machine. The result stays on
// disk, per device and driver.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "vulkan/recording/gpu.h"
#include "vulkan/traits/machine_model.h"

namespace nnvk::vulkan {

// Runs short benchmarks. Besides their time, the driver compiles two or three small kernels. The completion thread must not call
// this function. Errors are those of submissions; BAD_STATE if nnvk submits nothing to the GPU.
Result<MachineSpeed> probe_speed(const std::shared_ptr<Gpu>& gpu);

// Returns the speed that an earlier process of this user has measured, or else measures it now and keeps it. Returns nothing if
// it cannot be measured; the log says why.
std::optional<MachineSpeed> kept_or_probed_speed(const std::shared_ptr<Gpu>& gpu, const DeviceInfo& device);

// These functions encode a speed for files, and decode it. Bytes that hold no speed decode to nothing.
std::vector<std::byte> bytes_of(const MachineSpeed& speed);
std::optional<MachineSpeed> speed_of(std::span<const std::byte> bytes);

}  // namespace nnvk::vulkan
