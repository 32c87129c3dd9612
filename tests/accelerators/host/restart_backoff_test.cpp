// When lost hosts are started again.
#include "accelerators/host/restart_backoff.h"

#include <gtest/gtest.h>

namespace nnvk::accelerators {
namespace {

using namespace std::chrono_literals;

constexpr RestartBackoff::Clock::time_point kStart{100s};
constexpr RestartBackoff::Rule kRule{10ms, 50ms, 5s};

TEST(RestartBackoff, TheFirstLossCostsNoTime) {
  RestartBackoff backoff(kRule);
  EXPECT_LE(backoff.next_start(), kStart);
  backoff.started(kStart);
  backoff.lost(kStart + 1s);
  EXPECT_EQ(backoff.next_start(), kStart + 1s);
}

TEST(RestartBackoff, PausesDoubleUpToTheLongest) {
  RestartBackoff backoff(kRule);
  auto now = kStart;
  for (const auto pause : {0ms, 10ms, 20ms, 40ms, 50ms, 50ms}) {
    backoff.started(now);
    now += 1ms;
    backoff.lost(now);
    EXPECT_EQ(backoff.next_start() - now, pause);
    now = backoff.next_start();
  }
  EXPECT_EQ(backoff.losses(), 6U);
}

TEST(RestartBackoff, WhoLivedLongEnoughStartsAnew) {
  RestartBackoff backoff(kRule);
  for (int i = 0; i < 5; ++i) {
    backoff.started(kStart);
    backoff.lost(kStart);
  }
  backoff.started(kStart);
  backoff.lost(kStart + 5s);
  EXPECT_EQ(backoff.next_start(), kStart + 5s);
  EXPECT_EQ(backoff.losses(), 1U);
}

TEST(RestartBackoff, ManyLossesDoNotOverflow) {
  RestartBackoff backoff(kRule);
  for (int i = 0; i < 1000; ++i) {
    backoff.started(kStart);
    backoff.lost(kStart);
  }
  EXPECT_EQ(backoff.next_start(), kStart + 50ms);
}

}  // namespace
}  // namespace nnvk::accelerators
