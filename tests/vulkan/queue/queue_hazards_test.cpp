// Which submissions wait for earlier ones. No GPU.
#include "vulkan/queue/queue_hazards.h"

#include <gtest/gtest.h>

namespace nnvk::vulkan {
namespace {

MemoryAccess reads(uint64_t buffer, uint64_t begin = 0, uint64_t end = 16) { return {buffer, begin, end, false, false}; }
MemoryAccess writes(uint64_t buffer, uint64_t begin = 0, uint64_t end = 16) { return {buffer, begin, end, true, false}; }
MemoryAccess uses_slot(uint64_t slot) { return {slot, 0, UINT64_MAX, true, true}; }

class Hazards : public ::testing::Test {
 protected:
  // Whether a submission with these accesses needs a barrier before it.
  bool add(std::vector<MemoryAccess> accesses, uint64_t behind = 0) { return hazards_.add(++number_, accesses, behind); }

  QueueHazards hazards_;
  uint64_t number_ = 0;
};

TEST_F(Hazards, WhatSharesNothingRunsBesideEachOther) {
  EXPECT_FALSE(add({reads(1), writes(2)}));
  EXPECT_FALSE(add({reads(3), writes(4)}));
  EXPECT_FALSE(add({reads(1), writes(5)})) << "two readers";
  EXPECT_FALSE(add({writes(2, 16, 32)})) << "other bytes";
}

TEST_F(Hazards, ReadAfterWriteWriteAfterReadAndWriteAfterWriteWait) {
  EXPECT_FALSE(add({writes(1)}));
  EXPECT_TRUE(add({reads(1, 8, 9)}));
  EXPECT_TRUE(add({writes(1)}));
  EXPECT_TRUE(add({writes(1)}));
  EXPECT_FALSE(add({writes(2)}));
}

TEST_F(Hazards, ABarrierOrdersEverythingBeforeIt) {
  EXPECT_FALSE(add({writes(1)}));
  EXPECT_FALSE(add({writes(2)}));
  EXPECT_TRUE(add({reads(1), writes(3)}));
  EXPECT_FALSE(add({reads(2), writes(4)})) << "the barrier before its brother orders this one as well";
  EXPECT_TRUE(add({reads(3), reads(4), writes(5)}));
}

TEST_F(Hazards, WhatFollowsAnotherWaitsWhateverBothTouch) {
  EXPECT_FALSE(add({writes(1)}));
  EXPECT_TRUE(add({reads(2)}, 1)) << "both may be mappings of the same memory";
  EXPECT_FALSE(add({reads(3)}, 1)) << "there is a barrier in between by now";
  EXPECT_TRUE(add({reads(4)}, 2));
}

TEST_F(Hazards, NobodyWaitsForASlotThatTheHostHasSeenFree) {
  EXPECT_FALSE(add({writes(1), uses_slot(1)}));
  EXPECT_FALSE(add({writes(2), uses_slot(2)}));
  hazards_.forget(1);
  EXPECT_FALSE(add({writes(3), uses_slot(1)}));
  EXPECT_TRUE(add({writes(4), uses_slot(2)}));
}

TEST_F(Hazards, OtherMemoryStaysWrittenUntilABarrier) {
  EXPECT_FALSE(add({writes(1)}));
  hazards_.forget(1);
  EXPECT_TRUE(add({reads(1)}));
}

TEST_F(Hazards, WhatNobodyKnowsIsWaitedFor) {
  hazards_.add_unknown();
  EXPECT_TRUE(add({reads(1)}));
  EXPECT_FALSE(add({reads(1)}));
}

TEST_F(Hazards, TheListDoesNotGrowForEver) {
  size_t barriers = 0;
  for (uint64_t i = 1; i <= 4 * QueueHazards::kMostAccesses; ++i) barriers += add({writes(i)}) ? 1 : 0;
  EXPECT_GE(barriers, 3U);
  EXPECT_LE(barriers, 4U);
}

}  // namespace
}  // namespace nnvk::vulkan
