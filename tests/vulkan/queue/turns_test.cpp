// Which submission the driver gets next. No GPU.
#include "vulkan/queue/turns.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace nnvk::vulkan {
namespace {

using namespace std::chrono_literals;

using Position = std::shared_ptr<QueuePosition>;
using Behind = std::vector<std::shared_ptr<const QueuePosition>>;

constexpr int32_t kLow = 90;
constexpr int32_t kMedium = 100;
constexpr int32_t kHigh = 110;

struct NamedWork final : QueueWork {
  NamedWork(char n, Behind b) : name(n), runs(std::move(b)) {}
  std::span<const VkCommandBuffer> commands() const override { return {}; }
  std::span<const std::shared_ptr<const QueuePosition>> behind() const override { return runs; }
  std::string describe() const override { return {name}; }
  void retire(const Status&, std::chrono::nanoseconds) override {}

  const char name;
  const Behind runs;
};

Position position() { return std::make_shared<QueuePosition>(QueueId::kNone); }

class TurnsTest : public ::testing::Test {
 protected:
  void add(char name, Turn turn = {}, Behind behind = {}) { add({turn, std::nullopt, false, nullptr}, name, std::move(behind)); }
  void add(WaitingWork waiting, char name, Behind behind = {}) {
    waiting.work = std::make_shared<NamedWork>(name, std::move(behind));
    turns_.add(std::move(waiting));
  }
  // Takes all that may be submitted now; returns the names, in order. Expects that all of them may run.
  std::string take() {
    std::string names;
    while (auto taken = turns_.take()) {
      EXPECT_TRUE(taken->may_run) << taken->may_run.error().message;
      names += taken->waited.work->describe();
      submitted_.push_back(taken->waited.turn);
    }
    return names;
  }
  // Takes one submission that may not run; returns why.
  Code take_refused() {
    const auto taken = turns_.take();
    return taken && !taken->may_run ? taken->may_run.error().code : Code::kNoError;
  }
  // The device completes the oldest submission.
  void complete() {
    const Turn turn = submitted_.front();
    submitted_.erase(submitted_.begin());
    turns_.complete(turn);
    if (turn.has_more) turns_.let_others_pass(turn);
  }

  Turns turns_{"a device"};
  std::vector<Turn> submitted_;
};

TEST_F(TurnsTest, HigherPrioritiesGoFirstAndEqualOnesInOrder) {
  add('a', {kLow});
  add('b', {kMedium});
  add('c', {kHigh});
  add('d', {kMedium});
  add('e', {kHigh});
  std::string order = take();
  while (!submitted_.empty()) {
    complete();
    order += take();
  }
  EXPECT_EQ(order, "cebda");
}

TEST_F(TurnsTest, TheDriverHasTwoSubmissionsInAdvance) {
  for (const char name : {'a', 'b', 'c', 'd'}) add(name);
  EXPECT_EQ(take(), "ab");
  complete();
  EXPECT_EQ(take(), "c");
  complete();
  complete();
  EXPECT_EQ(take(), "d");
}

TEST_F(TurnsTest, ASubmissionAtOnceCountsAsOneInAdvance) {
  ASSERT_TRUE(turns_.take_at_once());
  ASSERT_TRUE(turns_.take_at_once());
  ASSERT_TRUE(turns_.take_at_once()) << "it waits for no turn";
  add('a');
  EXPECT_EQ(take(), "");
  turns_.complete({});
  turns_.complete({});
  EXPECT_EQ(take(), "a");
}

TEST_F(TurnsTest, WhatTheDriverRefusesMakesRoom) {
  for (const char name : {'a', 'b', 'c'}) add(name);
  EXPECT_EQ(take(), "ab");
  turns_.drop(submitted_.back());
  EXPECT_EQ(take(), "c");
}

TEST_F(TurnsTest, ACutRunKeepsItsTurnAgainstLessImportantWork) {
  add('a', {kMedium, true});
  add('l', {kLow});
  EXPECT_EQ(take(), "a") << "the next part of the run takes the second place";
  turns_.complete(submitted_.front());
  EXPECT_EQ(take(), "") << "the next part is not added yet";
  add({{kMedium, false}, std::nullopt, true, nullptr}, 'A');
  turns_.let_others_pass(submitted_.front());
  EXPECT_EQ(take(), "Al");
}

TEST_F(TurnsTest, EquallyAndMoreImportantWorkComesBetweenThePartsOfACutRun) {
  add('a', {kMedium, true});
  add('m', {kMedium});
  add('h', {kHigh});
  EXPECT_EQ(take(), "ha");
  complete();
  EXPECT_EQ(take(), "m");
}

TEST_F(TurnsTest, ACutRunThatTheDriverRefusesKeepsNobodyWaiting) {
  add('a', {kMedium, true});
  add('l', {kLow});
  EXPECT_EQ(take(), "a");
  turns_.drop(submitted_.front());
  EXPECT_EQ(take(), "l");
}

TEST_F(TurnsTest, DependentWorkFollowsAsSoonAsTheDriverHasWhatItDependsOn) {
  const Position first = position();
  const Position second = position();
  add('a');
  add('b', {}, {first});
  add('c', {}, {second});
  EXPECT_EQ(take(), "a");
  first->set_submission(1);
  EXPECT_EQ(take(), "b");
  second->set_submission(2);
  EXPECT_EQ(take(), "c") << "a chain needs no room";
  add('d');
  EXPECT_EQ(take(), "") << "other work does";
}

TEST_F(TurnsTest, WorkWaitsForAllThatItDependsOnWhateverItsPriority) {
  const Position first = position();
  const Position second = position();
  add('h', {kHigh}, {first, second});
  add('l', {kLow});
  first->set_submission(1);
  EXPECT_EQ(take(), "l");
  second->set_submission(2);
  EXPECT_EQ(take(), "h");
}

TEST_F(TurnsTest, AChainIsAtMostHalfASecondAhead) {
  const Position first = position();
  first->set_submission(1);
  add('a', {kMedium, false, 200ms});
  add('b', {kMedium, false, 200ms}, {first});
  add('c', {kMedium, false, 100ms}, {first});
  add('d', {kMedium, false, 1ms}, {first});
  EXPECT_EQ(take(), "abc");
  complete();
  EXPECT_EQ(take(), "d");
}

TEST_F(TurnsTest, WorkBehindRunsThatHaveEndedNeedsRoom) {
  const Position first = position();
  first->set_end({});
  add('a');
  add('b');
  add('c', {}, {first});
  EXPECT_EQ(take(), "ab");
  complete();
  EXPECT_EQ(take(), "c");
}

TEST_F(TurnsTest, ExpiredWorkFailsAtItsTurnAndTakesNoRoom) {
  const Deadline passed = std::chrono::steady_clock::now() - 1s;
  add({{}, passed, false, nullptr}, 'a');
  add({{}, passed, true, nullptr}, 'b');
  EXPECT_EQ(take_refused(), Code::kMissedDeadlinePersistent);
  EXPECT_EQ(take_refused(), Code::kMissedDeadlineTransient) << "a part of its run has run";
  for (const char name : {'c', 'd', 'e'}) add(name);
  EXPECT_EQ(take(), "cd");
}

TEST_F(TurnsTest, ExpiredWorkWaitsForItsTurnToo) {
  add('a');
  add('b');
  EXPECT_EQ(take(), "ab");
  add({{}, std::chrono::steady_clock::now() - 1s, false, nullptr}, 'c');
  EXPECT_EQ(take_refused(), Code::kNoError);
  complete();
  EXPECT_EQ(take_refused(), Code::kMissedDeadlinePersistent);
}

TEST_F(TurnsTest, ADeadlineThatHasNotPassedChangesNothing) {
  add({{}, std::chrono::steady_clock::now() + 1h, false, nullptr}, 'a');
  EXPECT_EQ(take(), "a");
}

TEST_F(TurnsTest, WorkBehindAFailedRunFailsWithItsError) {
  const Position first = position();
  first->set_end(fail(Code::kOpFailed, "an index is outside its table"));
  add('a', {}, {first});
  const auto taken = turns_.take();
  ASSERT_TRUE(taken);
  ASSERT_FALSE(taken->may_run);
  EXPECT_EQ(taken->may_run.error().code, Code::kOpFailed);
  EXPECT_EQ(taken->may_run.error().message, "an index is outside its table");
}

TEST_F(TurnsTest, AfterTheStopNewRunsAreRefusedAndOthersGoOn) {
  add('a');
  turns_.stop();
  add('b');
  add({{}, std::nullopt, true, nullptr}, 'c');
  EXPECT_EQ(take_refused(), Code::kUnavailableDevice);
  EXPECT_EQ(take(), "ac");
  EXPECT_EQ(turns_.take_at_once().error().code, Code::kUnavailableDevice);
}

TEST_F(TurnsTest, IsOverWhenAllIsCompletedAfterTheStop) {
  EXPECT_TRUE(turns_.is_idle());
  EXPECT_FALSE(turns_.is_busy());
  add('a');
  EXPECT_FALSE(turns_.is_idle());
  EXPECT_FALSE(turns_.is_busy()) << "it only waits";
  EXPECT_EQ(take(), "a");
  EXPECT_TRUE(turns_.is_busy());
  turns_.stop();
  EXPECT_FALSE(turns_.is_over());
  complete();
  EXPECT_TRUE(turns_.is_over());
}

TEST_F(TurnsTest, AbandonedWorkIsReleasedWhenItIsTakenOrWithTheTurns) {
  auto work = std::make_shared<NamedWork>('a', Behind{});
  const std::weak_ptr<QueueWork> taken = work;
  turns_.add({{}, std::chrono::steady_clock::now() - 1s, false, std::move(work)});
  EXPECT_FALSE(taken.expired());
  EXPECT_EQ(take_refused(), Code::kMissedDeadlinePersistent);
  EXPECT_TRUE(taken.expired());
  std::weak_ptr<QueueWork> waiting;
  {
    Turns others("another device");
    auto left = std::make_shared<NamedWork>('b', Behind{});
    waiting = left;
    others.add({{}, std::nullopt, false, std::move(left)});
  }
  EXPECT_TRUE(waiting.expired());
}

}  // namespace
}  // namespace nnvk::vulkan
