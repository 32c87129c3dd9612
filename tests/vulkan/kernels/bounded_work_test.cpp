// How reductions of long slices are split into dispatches.
#include "vulkan/kernels/bounded_work.h"

#include <gtest/gtest.h>

namespace nnvk::vulkan {
namespace {

using Steps = std::vector<SliceStep>;
constexpr uint32_t kBoth = kStepFoldFirst | kStepFoldSecond;

TEST(SliceSteps, ShortSlicesTakeOneDispatch) {
  EXPECT_EQ(slice_steps(1, 10, kBoth), (Steps{{0, 1, kBoth | kStepStart | kStepFinish}}));
  EXPECT_EQ(slice_steps(10, 10, kStepFoldSecond), (Steps{{0, 10, kStepFoldSecond | kStepStart | kStepFinish}}));
}

TEST(SliceSteps, TheSecondFoldWaitsForTheFirstOverTheWholeSlice) {
  EXPECT_EQ(slice_steps(25, 10, kBoth), (Steps{{0, 10, kStepFoldFirst | kStepStart},
                                               {10, 20, kStepFoldFirst},
                                               {20, 25, kStepFoldFirst},
                                               {0, 10, kStepFoldSecond},
                                               {10, 20, kStepFoldSecond},
                                               {20, 25, kStepFoldSecond | kStepFinish}}));
}

TEST(SliceSteps, TheLargestSliceIsCoveredOnce) {
  const Steps steps = slice_steps(UINT32_MAX, 1U << 30);
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(steps.back(), (SliceStep{3U << 30, UINT32_MAX, kStepFoldFirst | kStepFinish}));
}

}  // namespace
}  // namespace nnvk::vulkan
