// When a device counts as hanging. No GPU.
#include "vulkan/queue/hang_watch.h"

#include <gtest/gtest.h>

namespace nnvk::vulkan {
namespace {

using namespace std::chrono_literals;

constexpr HangWatch::Time kBegin;

TEST(HangWatch, ADeviceThatCompletesNothingForLongHangs) {
  HangWatch watch(kBegin);
  EXPECT_EQ(watch.look(kBegin + 900ms, false, {1000ms, {}}), std::nullopt);
  EXPECT_EQ(watch.look(kBegin + 1s, false, {1000ms, {}}), "has completed nothing for 1000 ms");
  EXPECT_EQ(watch.look(kBegin + 1s, false, {1000ms, {}}), "has completed nothing for 1000 ms") << "asked once more";
}

TEST(HangWatch, WithoutALimitNothingHangs) {
  HangWatch watch(kBegin);
  for (auto time = kBegin; time < kBegin + 1h; time += 1s) EXPECT_EQ(watch.look(time, false, {}), std::nullopt);
}

TEST(HangWatch, ALostDeviceMayStillWorkForAMoment) {
  HangWatch watch(kBegin);
  EXPECT_EQ(watch.look(kBegin + 800ms, true, {1000ms, {}}), std::nullopt);
  EXPECT_EQ(watch.look(kBegin + 1800ms, true, {1000ms, {}}), std::nullopt) << "no standstill: it is lost";
  EXPECT_EQ(watch.look(kBegin + 2800ms, true, {1000ms, {}}), "was lost, but its work does not end");
}

TEST(HangWatch, AShutDownHasItsOwnPatienceFromItsBegin) {
  HangWatch watch(kBegin);
  EXPECT_EQ(watch.look(kBegin + 10s, false, {0ms, {}}), std::nullopt);
  EXPECT_EQ(watch.look(kBegin + 11s, false, {0ms, 300ms}), std::nullopt);
  EXPECT_EQ(watch.look(kBegin + 11s + 200ms, false, {0ms, 300ms}), std::nullopt);
  EXPECT_EQ(watch.look(kBegin + 11s + 300ms, false, {0ms, 300ms}), "is closed before its work has come to an end");
}

}  // namespace
}  // namespace nnvk::vulkan
