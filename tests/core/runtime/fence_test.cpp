// A fence settles once, and all its holders see the result.
#include "core/runtime/fence.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

namespace nnvk {
namespace {

TEST(Fence, TheFirstSettlementWins) {
  const Fence fence = Fence::pending();
  EXPECT_EQ(fence.state(), Fence::State::kPending);
  fence.fail({Code::kDeadObject, "gone"});
  fence.signal();
  EXPECT_EQ(fence.state(), Fence::State::kError);
  EXPECT_EQ(fence.result().error().code, Code::kDeadObject);
}

TEST(Fence, CallbacksRunOnceBeforeAndAfterSettlement) {
  const Fence fence = Fence::pending();
  int calls = 0;
  fence.on_settled([&](const Status& status) { calls += status ? 1 : 100; });
  EXPECT_EQ(calls, 0);
  fence.signal();
  fence.on_settled([&](const Status& status) { calls += status ? 10 : 100; });
  EXPECT_EQ(calls, 11);
}

TEST(Fence, WakesEveryWaiter) {
  const Fence fence = Fence::pending();
  std::atomic<int> woken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { woken += fence.wait() ? 1 : 0; });
  fence.signal();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(woken, 8);
}

TEST(Fence, TellsWhenItsLastCopyGoes) {
  int gone = 0;
  std::optional<Fence> copy;
  std::optional<Fence::Weak> weak;
  {
    const Fence fence = Fence::pending_until_gone([&] { ++gone; });
    copy = fence;
    weak = fence.weak();
    fence.signal();
  }
  EXPECT_EQ(gone, 0);
  EXPECT_EQ(weak->lock()->state(), Fence::State::kSignalled);
  copy.reset();
  EXPECT_EQ(gone, 1);
  EXPECT_FALSE(weak->lock());
}

TEST(WhenAll, SignalsAfterTheLast) {
  const std::array<Fence, 2> fences{Fence::pending(), Fence::pending()};
  const Fence all = when_all(fences);
  fences[1].signal();
  EXPECT_EQ(all.state(), Fence::State::kPending);
  fences[0].signal();
  EXPECT_EQ(all.state(), Fence::State::kSignalled);
}

TEST(WhenAll, FailsWithTheFirstFailureWithoutWaitingForTheOthers) {
  const std::array<Fence, 3> fences{Fence::pending(), Fence::pending(), Fence::pending()};
  const Fence all = when_all(fences);
  fences[2].fail({Code::kOpFailed, "third"});
  EXPECT_EQ(all.state(), Fence::State::kError);
  fences[1].fail({Code::kBadData, "second"});
  fences[0].signal();
  EXPECT_EQ(all.result().error().code, Code::kOpFailed);
}

TEST(WhenAllSettled, WaitsForTheLastAndReportsTheFirstErrorInOrder) {
  const std::array<Fence, 3> fences{Fence::pending(), Fence::pending(), Fence::pending()};
  const Fence all = when_all_settled(fences);
  fences[2].fail({Code::kOpFailed, "third"});
  fences[1].fail({Code::kBadData, "second"});
  EXPECT_EQ(all.state(), Fence::State::kPending);
  fences[0].signal();
  EXPECT_EQ(all.result().error().code, Code::kBadData);
}

TEST(WhenAll, NothingToWaitForIsSignalled) {
  EXPECT_EQ(when_all({}).state(), Fence::State::kSignalled);
  EXPECT_EQ(when_all_settled({}).state(), Fence::State::kSignalled);
}

}  // namespace
}  // namespace nnvk
