// The deadline of a run: how loops see it, how they end when it has passed, and which error results.
#include "core/base/run_deadline.h"

#include <gtest/gtest.h>

#include <thread>

namespace nnvk {
namespace {

const Deadline kPast = std::chrono::steady_clock::now() - std::chrono::seconds(1);
const Deadline kFuture = std::chrono::steady_clock::now() + std::chrono::hours(1);

void turn(int turns, uint32_t turns_per_look) {
  DeadlineWatch watch(turns_per_look);
  for (int i = 0; i < turns; ++i) watch.look();
}

TEST(RunDeadline, ThereIsNoneOutsideAScopeAndOnOtherThreads) {
  EXPECT_FALSE(run_deadline());
  const RunDeadline scope(kPast);
  EXPECT_TRUE(run_deadline());
  std::thread([] { EXPECT_FALSE(run_deadline()); }).join();
}

TEST(RunDeadline, TheInnermostScopeCounts) {
  const Deadline none;
  const RunDeadline outer(kPast);
  {
    const RunDeadline inner(none);
    EXPECT_FALSE(run_deadline());
  }
  EXPECT_EQ(run_deadline(), kPast);
}

TEST(DeadlineWatch, LooksOnceInSoManyTurns) {
  const RunDeadline scope(kPast);
  EXPECT_NO_THROW(turn(15, 16));
  EXPECT_THROW(turn(16, 16), DeadlinePassed);
  EXPECT_THROW(turn(1, 1), DeadlinePassed);
}

TEST(DeadlineWatch, NothingEndsWithoutADeadlineOrBeforeIt) {
  EXPECT_NO_THROW(turn(100, 1));
  const RunDeadline scope(kFuture);
  EXPECT_NO_THROW(turn(100, 1));
}

TEST(CatchPassedDeadline, GivesAnError) {
  const RunDeadline scope(kPast);
  const auto late = []() -> Status {
    turn(1, 1);
    return {};
  };
  const Status status = catch_passed_deadline(late);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kMissedDeadlineTransient);
  EXPECT_TRUE(catch_passed_deadline([]() -> Status { return {}; }));
}

}  // namespace
}  // namespace nnvk
