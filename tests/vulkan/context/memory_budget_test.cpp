// A budget of memory: takes and returns bytes within a limit.
#include "vulkan/context/memory_budget.h"

#include <gtest/gtest.h>

namespace nnvk::vulkan {
namespace {

TEST(MemoryBudget, GivesUpToItsLimitAndTakesBack) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.take(60, "a"));
  EXPECT_TRUE(budget.take(40, "b"));
  const Status more = budget.take(1, "weights of x");
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, Code::kResourceExhaustedTransient);
  EXPECT_NE(more.error().text().find("weights of x needs 1 bytes"), std::string::npos) << more.error().text();
  EXPECT_NE(more.error().text().find("100 are in use"), std::string::npos) << more.error().text();
  budget.give_back(60);
  EXPECT_EQ(budget.held(), 40U);
  EXPECT_TRUE(budget.take(60, "c"));
}

TEST(MemoryBudget, WhatIsLargerThanAllOfItNeverFits) {
  MemoryBudget budget(100);
  const Status never = budget.take(101, "a");
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().code, Code::kResourceExhaustedPersistent);
  EXPECT_EQ(budget.held(), 0U);
  EXPECT_FALSE(budget.take(UINT64_MAX, "a"));
}

TEST(MemoryBudget, NoneMeansNoLimit) {
  MemoryBudget budget(0);
  EXPECT_TRUE(budget.take(1ULL << 60, "a"));
  EXPECT_TRUE(budget.take(1ULL << 60, "b"));
}

}  // namespace
}  // namespace nnvk::vulkan
