// Converts the device's timestamps to host time (trace::now()).
#pragma once

#include <cstdint>
#include <optional>

#include "vulkan/context/context.h"

namespace nnvk::vulkan {

// The same moment on both clocks.
struct Calibration {
  uint64_t tick = 0;
  uint64_t host_nanoseconds = 0;
};

// Returns a mask of the significant bits of a timestamp with `valid_bits`.
uint64_t tick_mask(uint32_t valid_bits);

// Returns the host time at which the device's counter was at `tick`. The counter has `valid_bits` and advances every `period`
// nanoseconds. `tick` may precede or follow the calibration by less than half of the counter's range.
uint64_t host_time(uint64_t tick, const Calibration& calibration, uint32_t valid_bits, double period);

// Queries the driver for the same moment on both clocks; returns nothing if the driver does not support
// VK_EXT_calibrated_timestamps.
std::optional<Calibration> calibrate(const Context& context);

}  // namespace nnvk::vulkan
