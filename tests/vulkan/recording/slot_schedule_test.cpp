// The choice of slots for executions, without Vulkan.
#include "vulkan/recording/slot_schedule.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace nnvk::vulkan {
namespace {

SlotSchedule::Work record(std::vector<uint32_t>& slots) {
  return [&slots](uint32_t slot) {
    slots.push_back(slot);
    return true;
  };
}

TEST(SlotSchedule, ReusesAFreeSlotBeforeMakingAnother) {
  SlotSchedule schedule(4);
  std::vector<uint32_t> slots;
  schedule.run(record(slots));
  schedule.release(0);
  schedule.run(record(slots));
  EXPECT_EQ(slots, (std::vector<uint32_t>{0, 0}));
}

TEST(SlotSchedule, TheFreeSlotThatSuitsBestIsTaken) {
  SlotSchedule schedule(4);
  std::vector<uint32_t> slots;
  for (int i = 0; i < 4; ++i) schedule.run(record(slots));
  for (const uint32_t slot : {2U, 0U, 3U, 1U}) schedule.release(slot);
  slots.clear();
  const auto suits = [](uint32_t best) { return [best](uint32_t slot) { return slot == best ? 1 : -int64_t{slot}; }; };
  schedule.run(record(slots), suits(2));
  schedule.run(record(slots), suits(2));                             // it is in use: 0 is the next best
  schedule.run(record(slots), [](uint32_t) { return int64_t{7}; });  // all the same: the one that was used last
  schedule.run(record(slots));
  EXPECT_EQ(slots, (std::vector<uint32_t>{2, 0, 1, 3}));
}

TEST(SlotSchedule, ASlotThatSuitsIsNotWaitedFor) {
  SlotSchedule schedule(2);
  std::vector<uint32_t> slots;
  schedule.run(record(slots));
  schedule.run(record(slots), [](uint32_t slot) { return slot == 0 ? int64_t{1} : int64_t{0}; });
  EXPECT_EQ(slots, (std::vector<uint32_t>{0, 1}));
}

TEST(SlotSchedule, GrowsToTheLimitAndThenQueuesInOrder) {
  SlotSchedule schedule(2);
  std::vector<uint32_t> slots;
  std::vector<int> order;
  schedule.run(record(slots));
  schedule.run(record(slots));
  schedule.run([&](uint32_t slot) {
    order.push_back(1);
    slots.push_back(slot);
    return true;
  });
  schedule.run([&](uint32_t slot) {
    order.push_back(2);
    slots.push_back(slot);
    return true;
  });
  EXPECT_EQ(slots, (std::vector<uint32_t>{0, 1}));
  schedule.release(1);
  schedule.release(0);
  EXPECT_EQ(slots, (std::vector<uint32_t>{0, 1, 1, 0}));
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(SlotSchedule, AWithdrawnSlotsWorkWaitsForAnotherSlot) {
  SlotSchedule schedule(4);
  std::vector<uint32_t> slots;
  schedule.run(record(slots));
  schedule.run([&](uint32_t slot) {
    EXPECT_TRUE(schedule.withdraw(slot, record(slots)));
    return true;  // no execution uses it any more
  });
  EXPECT_EQ(slots, (std::vector<uint32_t>{0}));
  schedule.release(0);
  EXPECT_EQ(slots, (std::vector<uint32_t>{0, 0}));
  schedule.run(record(slots));  // no second slot is tried again
  EXPECT_EQ(slots.size(), 2U);
}

TEST(SlotSchedule, WithoutTheFirstSlotThereIsNothingToWaitFor) {
  SlotSchedule schedule(4);
  std::vector<uint32_t> slots;
  schedule.run([&](uint32_t slot) {
    EXPECT_FALSE(schedule.withdraw(slot, record(slots)));
    return false;
  });
  EXPECT_TRUE(slots.empty());
  schedule.run(record(slots));  // another attempt may succeed
  EXPECT_EQ(slots, (std::vector<uint32_t>{0}));
}

TEST(SlotSchedule, WorkThatHasNoUseForItsSlotPassesItOnHoweverManyThereAre) {
  SlotSchedule schedule(1);
  std::vector<uint32_t> slots;
  schedule.run(record(slots));
  int refused = 0;
  for (int i = 0; i < 200'000; ++i) {
    schedule.run([&refused](uint32_t) {
      ++refused;
      return false;
    });
  }
  schedule.run(record(slots));
  schedule.release(0);
  EXPECT_EQ(refused, 200'000);
  EXPECT_EQ(slots, (std::vector<uint32_t>{0, 0}));
}

TEST(SlotSchedule, NoSlotIsEverUsedTwiceAtOnce) {
  SlotSchedule schedule(3);
  std::atomic<int> in_use[3] = {};
  std::atomic<int> runs{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        schedule.run([&](uint32_t slot) {
          EXPECT_EQ(in_use[slot].fetch_add(1), 0);
          in_use[slot].fetch_sub(1);
          runs.fetch_add(1);
          if (i % 2 == 0) return false;
          schedule.release(slot);
          return true;
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(runs.load(), 4000);
}

}  // namespace
}  // namespace nnvk::vulkan
