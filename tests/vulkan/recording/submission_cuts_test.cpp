// Positions at which long recordings are cut, without Vulkan.
#include "vulkan/recording/submission_cuts.h"

#include <gtest/gtest.h>

namespace nnvk::vulkan {
namespace {

using std::chrono::milliseconds;
using Cuts = std::vector<size_t>;

TEST(SubmissionCuts, AShortRecordingStaysWhole) {
  const std::vector<uint64_t> weights(10, 1);
  EXPECT_EQ(submission_cuts(weights, milliseconds(50), milliseconds(50)), Cuts{});
  EXPECT_EQ(submission_cuts({}, milliseconds(500), milliseconds(50)), Cuts{});
}

TEST(SubmissionCuts, EqualDispatchesGiveEqualSubmissions) {
  const std::vector<uint64_t> weights(12, 7);
  EXPECT_EQ(submission_cuts(weights, milliseconds(200), milliseconds(50)), (Cuts{3, 6, 9}));
}

TEST(SubmissionCuts, ALongDispatchStandsAlone) {
  const std::vector<uint64_t> weights{1, 1, 96, 1, 1};
  EXPECT_EQ(submission_cuts(weights, milliseconds(1000), milliseconds(50)), (Cuts{2, 3}));
}

TEST(SubmissionCuts, DispatchesWithoutWeightAddNoSubmission) {
  const std::vector<uint64_t> weights{0, 50, 0, 0, 50, 0};
  EXPECT_EQ(submission_cuts(weights, milliseconds(100), milliseconds(50)), (Cuts{4}));
  EXPECT_EQ(submission_cuts(std::vector<uint64_t>(4, 0), milliseconds(100), milliseconds(50)), Cuts{});
}

TEST(RunTimeEstimate, IsTheFirstRunWhenThatWasShort) {
  RunTimeEstimate estimate;
  EXPECT_FALSE(estimate.is_final());
  EXPECT_TRUE(estimate.add(milliseconds(20)));
  EXPECT_TRUE(estimate.is_final());
  EXPECT_FALSE(estimate.add(milliseconds(10)));  // decided
  EXPECT_EQ(estimate.value(), milliseconds(20));
}

TEST(RunTimeEstimate, IsTheSecondRunWhenTheDriverMayHaveCompiledDuringTheFirst) {
  RunTimeEstimate estimate;
  EXPECT_FALSE(estimate.add(milliseconds(900)));
  EXPECT_FALSE(estimate.is_final());
  EXPECT_TRUE(estimate.add(milliseconds(120)));
  EXPECT_EQ(estimate.value(), milliseconds(120));
}

TEST(RunTimeEstimate, KnowsTheShortestRunWhenThereWereSome) {
  RunTimeEstimate estimate;
  for (const int time : {900, 7, 5, 9, 12, 8, 6}) {
    estimate.add(milliseconds(time));
    EXPECT_EQ(estimate.shortest(), milliseconds(0));
  }
  estimate.add(milliseconds(11));
  EXPECT_EQ(estimate.shortest(), milliseconds(5));
}

}  // namespace
}  // namespace nnvk::vulkan
