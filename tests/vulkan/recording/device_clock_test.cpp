// Device timestamps in host time.
#include "vulkan/recording/device_clock.h"

#include <gtest/gtest.h>

namespace nnvk::vulkan {
namespace {

TEST(DeviceClock, TicksBeforeAndAfterTheCalibrationAreMoments) {
  const Calibration calibration{1000, 5'000'000};
  EXPECT_EQ(host_time(1000, calibration, 64, 1.0), 5'000'000U);
  EXPECT_EQ(host_time(1500, calibration, 64, 1.0), 5'000'500U);
  EXPECT_EQ(host_time(400, calibration, 64, 1.0), 4'999'400U);
  EXPECT_EQ(host_time(1010, calibration, 64, 52.5), 5'000'525U);
  EXPECT_EQ(host_time(990, calibration, 64, 52.5), 4'999'475U);
}

TEST(DeviceClock, CountersWrapAround) {
  const uint64_t top = (uint64_t{1} << 36) - 1;
  EXPECT_EQ(host_time(9, {top, 5'000'000}, 36, 1.0), 5'000'010U);
  EXPECT_EQ(host_time(top, {9, 5'000'000}, 36, 1.0), 4'999'990U);
  EXPECT_EQ(host_time(UINT64_MAX, {4, 1000}, 64, 1.0), 995U);
}

}  // namespace
}  // namespace nnvk::vulkan
