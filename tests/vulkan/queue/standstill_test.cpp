// Distinguishes a standstill of the device from one of this process.
#include "vulkan/queue/hang_watch.h"

#include <gtest/gtest.h>

namespace nnvk::vulkan {
namespace {

using namespace std::chrono_literals;

TEST(Standstill, IsTheTimeBetweenLooks) {
  const Standstill::Time begin;
  Standstill standstill(begin);
  EXPECT_EQ(standstill.look(begin + 100ms), 100ms);
  EXPECT_EQ(standstill.look(begin + 250ms), 250ms);
  EXPECT_EQ(standstill.look(begin + 250ms), 250ms);
}

TEST(Standstill, OfAProcessThatWasStoppedIsNotThatOfTheDevice) {
  const Standstill::Time begin;
  Standstill standstill(begin);
  EXPECT_EQ(standstill.look(begin + 100ms), 100ms);
  EXPECT_EQ(standstill.look(begin + 1h), 1100ms);
  EXPECT_EQ(standstill.look(begin + 1h + 100ms), 1200ms);
}

}  // namespace
}  // namespace nnvk::vulkan
