// Where the device's timestamps lie in host time (trace::now()).
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

// The bits that count of a timestamp of `valid_bits`.
uint64_t tick_mask(uint32_t valid_bits);

// When the device's counter, which has `valid_bits` and advances every `period` nanoseconds, stood at `tick`; before or after the
// calibration, by less than half of the counter's range.
uint64_t host_time(uint64_t tick, const Calibration& calibration, uint32_t valid_bits, double period);

// Asks the driver; nothing where it cannot tell (VK_EXT_calibrated_timestamps).
std::optional<Calibration> calibrate(const Context& context);

}  // namespace nnvk::vulkan
