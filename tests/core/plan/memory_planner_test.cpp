// Tests of the arena planner.
#include "core/plan/memory_planner.h"

#include <gtest/gtest.h>

#include <random>

namespace nnvk {
namespace {

bool overlap_in_time(const TensorLifetime& a, const TensorLifetime& b) {
  return a.first_level <= b.last_level && b.first_level <= a.last_level;
}

TEST(PlanArena, TensorsAliveAtTheSameLevelNeverOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<TensorLifetime> lifetimes(1 + random() % 40);
    for (auto& l : lifetimes) {
      l.size = random() % 5 == 0 ? 0 : random() % 5000;
      l.first_level = random() % 20;
      l.last_level = l.first_level + random() % 6;
    }
    const auto plan = plan_arena(lifetimes, 256);
    ASSERT_TRUE(plan.has_value());
    for (size_t i = 0; i < lifetimes.size(); ++i) {
      EXPECT_EQ(plan->offsets[i] % 256, 0U);
      EXPECT_LE(plan->offsets[i] + lifetimes[i].size, plan->size + (lifetimes[i].size == 0 ? plan->offsets[i] : 0));
      for (size_t j = 0; j < i; ++j) {
        if (lifetimes[i].size == 0 || lifetimes[j].size == 0 || !overlap_in_time(lifetimes[i], lifetimes[j])) continue;
        const bool apart =
            plan->offsets[i] + lifetimes[i].size <= plan->offsets[j] || plan->offsets[j] + lifetimes[j].size <= plan->offsets[i];
        EXPECT_TRUE(apart) << "tensors " << i << " and " << j << " in round " << round;
      }
    }
  }
}

TEST(PlanArena, AChainNeedsOnlyItsTwoLargestNeighbours) {
  const std::vector<TensorLifetime> chain = {{1024, 0, 1}, {2048, 1, 2}, {1024, 2, 3}, {512, 3, 4}};
  const auto plan = plan_arena(chain, 256);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->size, 3072U);
}

TEST(PlanArena, AnAlignmentThatIsNoPowerOfTwoIsAnError) {
  EXPECT_EQ(plan_arena({}, 48).error().code, Code::kBadData);
  EXPECT_EQ(plan_arena({}, 0).error().code, Code::kBadData);
}

TEST(PlanArena, ALifetimeThatEndsBeforeItBeginsIsAnError) {
  const std::vector<TensorLifetime> lifetimes = {{16, 3, 2}};
  EXPECT_EQ(plan_arena(lifetimes, 16).error().code, Code::kBadData);
}

TEST(PlanArena, SizesThatOverflowAreAnError) {
  const std::vector<TensorLifetime> lifetimes = {{UINT64_MAX - 8, 0, 1}, {UINT64_MAX - 8, 0, 1}};
  EXPECT_EQ(plan_arena(lifetimes, 16).error().code, Code::kOutOfMemory);
}

}  // namespace
}  // namespace nnvk
