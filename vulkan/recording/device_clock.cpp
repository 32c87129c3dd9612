#include "vulkan/recording/device_clock.h"

#include <array>

namespace nnvk::vulkan {

uint64_t tick_mask(uint32_t valid_bits) { return valid_bits >= 64 ? UINT64_MAX : (uint64_t{1} << valid_bits) - 1; }

uint64_t host_time(uint64_t tick, const Calibration& calibration, uint32_t valid_bits, double period) {
  const uint64_t mask = tick_mask(valid_bits);
  const uint64_t after = (tick - calibration.tick) & mask;
  const uint64_t before = (calibration.tick - tick) & mask;
  if (after <= before) return calibration.host_nanoseconds + static_cast<uint64_t>(static_cast<double>(after) * period);
  return calibration.host_nanoseconds - static_cast<uint64_t>(static_cast<double>(before) * period);
}

std::optional<Calibration> calibrate(const Context& context) {
  if (!context.plan().calibrated_timestamps) return std::nullopt;
  std::array<VkCalibratedTimestampInfoEXT, 2> clocks{};
  for (VkCalibratedTimestampInfoEXT& clock : clocks) clock.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT;
  clocks[0].timeDomain = VK_TIME_DOMAIN_DEVICE_EXT;
  clocks[1].timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
  std::array<uint64_t, 2> times{};
  uint64_t deviation = 0;
  const VkResult result = context.noted(context.vk().vkGetCalibratedTimestampsEXT(
      context.device(), static_cast<uint32_t>(clocks.size()), clocks.data(), times.data(), &deviation));
  if (result != VK_SUCCESS) return std::nullopt;
  return Calibration{times[0], times[1]};
}

}  // namespace nnvk::vulkan
