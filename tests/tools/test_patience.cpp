// The time that a conformance run gives to a case.
#include <gtest/gtest.h>

#include "tools/conformance/patience.h"

namespace nnvk::tools::conformance {
namespace {

using namespace std::chrono_literals;

constexpr auto kLimit = 10s;

TEST(Patience, EndsForAProcessThatOnlyWaits) {
  Patience patience;
  for (int second = 0; second < 9; ++second) patience.pass(1s, 5s);
  EXPECT_FALSE(patience.is_over(kLimit));
  patience.pass(1s, 5s);
  EXPECT_TRUE(patience.is_over(kLimit));
  EXPECT_EQ(patience.age(), 10s);
}

TEST(Patience, DoesNotCountTimeInWhichTheProcessComputes) {
  Patience patience;
  patience.pass(0s, 100s);
  for (int second = 1; second <= 30; ++second) patience.pass(1s, 100s + second * 1s);
  EXPECT_FALSE(patience.is_over(kLimit));
  EXPECT_EQ(patience.waited(), 0s);
  patience.pass(10s, 130s);
  EXPECT_TRUE(patience.is_over(kLimit));
}

TEST(Patience, SeveralThreadsDoNotSaveTimeForLater) {
  Patience patience;
  patience.pass(0s, 0s);
  patience.pass(1s, 16s);
  patience.pass(10s, 16s);
  EXPECT_TRUE(patience.is_over(kLimit));
}

TEST(Patience, EndsForAProcessThatComputesForEver) {
  Patience patience;
  patience.pass(0s, 0s);
  patience.pass(59s, 59s);
  EXPECT_FALSE(patience.is_over(kLimit));
  patience.pass(1s, 60s);
  EXPECT_TRUE(patience.is_over(kLimit));
}

TEST(Patience, ThreadsThatHaveEndedMakeNoTimeUp) {
  Patience patience;
  patience.pass(0s, 50s);
  patience.pass(4s, 20s);  // a thread of 30 s is gone
  EXPECT_EQ(patience.waited(), 4s);
}

TEST(Patience, BeginsAnewWithEveryCase) {
  Patience patience;
  patience.pass(9s, 0s);
  patience.restart();
  patience.pass(1s, 100s);
  EXPECT_EQ(patience.waited(), 1s);
  EXPECT_FALSE(patience.is_over(kLimit));
}

}  // namespace
}  // namespace nnvk::tools::conformance
