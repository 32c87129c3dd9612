// Where long recordings are cut, without Vulkan.
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

TEST(RunTimeEstimate, IsTheFastestRunButNeverTheFirst) {
  RunTimeEstimate estimate;
  EXPECT_FALSE(estimate.add(milliseconds(1)));
  EXPECT_FALSE(estimate.add(milliseconds(30)));
  EXPECT_TRUE(estimate.add(milliseconds(20)));
  EXPECT_EQ(estimate.value(), milliseconds(20));
  EXPECT_FALSE(estimate.add(milliseconds(10)));  // decided
  EXPECT_EQ(estimate.value(), milliseconds(20));
}

}  // namespace
}  // namespace nnvk::vulkan
