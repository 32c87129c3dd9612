// BOX_WITH_NMS_LIMIT, GENERATE_PROPOSALS and DETECTION_POSTPROCESSING against results worked out by hand.
#include <cmath>
#include <limits>

#include "tests/cpu_fallback/reference/operation_outputs.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using enum OperandType;

constexpr int32_t kHard = 0;
constexpr int32_t kLinear = 1;
constexpr int32_t kGaussian = 2;

// One foreground class; `boxes` are its boxes. The background's box is empty.
struct Limit {
  std::vector<float> scores;
  std::vector<std::vector<float>> boxes;
  std::vector<int32_t> batches = {};
  float score_threshold = 0.1F;
  int32_t most = -1;
  int32_t kernel = kHard;
  float iou_threshold = 0.4F;
  float sigma = 0.5F;
  float nms_score_threshold = 0.05F;

  Outputs run() const {
    const auto rows = static_cast<uint32_t>(scores.size());
    std::vector<float> both;
    std::vector<float> corners;
    for (size_t r = 0; r < rows; ++r) {
      both.insert(both.end(), {0.0F, scores[r]});
      corners.insert(corners.end(), 4, 0.0F);
      corners.insert(corners.end(), boxes[r].begin(), boxes[r].end());
    }
    return run_outputs(
        OperationCode::kBoxWithNmsLimit,
        {floats({rows, 2}, both), floats({rows, 8}, corners),
         ints({rows}, batches.empty() ? std::vector<int32_t>(rows) : batches), float_scalar(score_threshold), int_scalar(most),
         int_scalar(kernel), float_scalar(iou_threshold), float_scalar(sigma), float_scalar(nms_score_threshold)},
        {output_of(kTensorFloat32), output_of(kTensorFloat32), output_of(kTensorInt32), output_of(kTensorInt32)});
  }
};

const std::vector<float> kWide = {0, 0, 2, 1};
const std::vector<float> kHalf = {0, 0, 1, 1};  // half of kWide
const std::vector<float> kFar = {10, 10, 11, 11};

TEST(BoxWithNmsLimit, OverlappingBoxesGo) {
  const Outputs outputs = Limit{{0.6F, 0.8F, 0.05F, 0.3F}, {kHalf, kWide, kFar, kFar}}.run();
  EXPECT_EQ(outputs.values<float>(0), (std::vector<float>{0.8F, 0.3F}));
  EXPECT_EQ(outputs.values<float>(1), (std::vector<float>{0, 0, 2, 1, 10, 10, 11, 11}));
  EXPECT_EQ(outputs.values<int32_t>(2), (std::vector<int32_t>{1, 1}));
  EXPECT_EQ(outputs.infos[1].shape, (Shape{2, 4}));
}

TEST(BoxWithNmsLimit, TheHardKernelKeepsExactlyWhatOverlapsLess) {
  Limit limit{{0.6F, 0.8F}, {kHalf, kWide}};
  limit.iou_threshold = 0.5F;
  EXPECT_EQ(limit.run().infos[0].shape, Shape{1}) << "an overlap equal to the threshold suppresses";
  limit.iou_threshold = 0.51F;
  EXPECT_EQ(limit.run().infos[0].shape, Shape{2});
}

TEST(BoxWithNmsLimit, SoftKernelsLowerScores) {
  Limit limit{{0.6F, 0.8F}, {kHalf, kWide}};
  limit.kernel = kLinear;
  EXPECT_EQ(limit.run().values<float>(0), (std::vector<float>{0.8F, 0.6F * 0.5F}));
  limit.kernel = kGaussian;
  const auto scores = limit.run().values<float>(0);
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_NEAR(scores[1], 0.6 * std::exp(-0.5), 1e-6);
  limit.nms_score_threshold = 0.37F;
  EXPECT_EQ(limit.run().infos[0].shape, Shape{1}) << "a score lowered too far goes";
}

TEST(BoxWithNmsLimit, WithoutALowestScoreSuppressedBoxesStayWithScoreZero) {
  Limit limit{{0.6F, 0.8F}, {kHalf, kWide}};
  limit.nms_score_threshold = 0.0F;
  EXPECT_EQ(limit.run().values<float>(0), (std::vector<float>{0.8F, 0.0F}));
}

TEST(BoxWithNmsLimit, EveryRunOfBatchIndexesIsAnImage) {
  const Outputs outputs = Limit{{0.6F, 0.8F, 0.9F}, {kHalf, kWide, kWide}, {5, 5, 0}}.run();
  EXPECT_EQ(outputs.values<float>(0), (std::vector<float>{0.8F, 0.9F}));
  EXPECT_EQ(outputs.values<int32_t>(3), (std::vector<int32_t>{5, 0}));
  EXPECT_EQ((Limit{{0.6F}, {kHalf}, {-1}}.run().code()), Code::kOpFailed);
}

TEST(BoxWithNmsLimit, TheCapHoldsPerImage) {
  // Two classes; the best two of all survive and come by class.
  const Outputs outputs = run_outputs(
      OperationCode::kBoxWithNmsLimit,
      {floats({2, 3}, {0, 0.5F, 0.9F, 0, 0.7F, 0.6F}),
       floats({2, 12}, {0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 0, 0, 4, 4, 5, 5, 6, 6, 7, 7}), ints({2}, {3, 3}),
       float_scalar(0.1F), int_scalar(2), int_scalar(kHard), float_scalar(0.5F), float_scalar(0.5F), float_scalar(0.1F)},
      {output_of(kTensorFloat32), output_of(kTensorFloat32), output_of(kTensorInt32), output_of(kTensorInt32)});
  EXPECT_EQ(outputs.values<float>(0), (std::vector<float>{0.7F, 0.9F}));
  EXPECT_EQ(outputs.values<int32_t>(2), (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(outputs.values<float>(1), (std::vector<float>{4, 4, 5, 5, 2, 2, 3, 3}));
}

TEST(BoxWithNmsLimit, OnlyTheFirstBoxesOfAnImageAreInspected) {
  const std::vector<float> swapped = {1, 1, 0, 0};
  EXPECT_EQ((Limit{{0.5F}, {swapped}}.run().code()), Code::kNoError) << "the one inspected box is the background's";
  EXPECT_EQ((Limit{{0.5F, 0.5F}, {swapped, kFar}}.run().code()), Code::kOpFailed);
}

TEST(BoxWithNmsLimit, NanScoresAndNothingToKeepAreFine) {
  Limit limit{{std::numeric_limits<float>::quiet_NaN(), 0.05F}, {kFar, kFar}};
  const Outputs outputs = limit.run();
  EXPECT_EQ(outputs.code(), Code::kNoError);
  EXPECT_EQ(outputs.infos[0].shape, Shape{0});
  EXPECT_EQ(outputs.infos[1].shape, (Shape{0, 4}));
}

// --- GENERATE_PROPOSALS -----------------------------------------------------------------------------------------------------

// A grid of one row and two columns, one anchor, no deltas.
Outputs propose(const std::vector<float>& scores, int32_t before, int32_t after, float iou = 0.5F, float min_size = 0.0F) {
  return run_outputs(OperationCode::kGenerateProposals,
                     {floats({1, 1, 2, 1}, scores), floats({1, 1, 2, 4}, std::vector<float>(8, 0.0F)),
                      floats({1, 4}, {0, 0, 4, 2}), floats({1, 2}, {10, 20}), float_scalar(2.0F), float_scalar(2.0F),
                      int_scalar(before), int_scalar(after), float_scalar(iou), float_scalar(min_size), bool_scalar(false)},
                     {output_of(kTensorFloat32), output_of(kTensorFloat32), output_of(kTensorInt32)});
}

TEST(GenerateProposals, AnchorsMoveOverTheGrid) {
  const Outputs outputs = propose({0.5F, 0.9F}, 0, -1);
  EXPECT_EQ(outputs.values<float>(0), (std::vector<float>{0.9F, 0.5F}));
  EXPECT_EQ(outputs.values<float>(1), (std::vector<float>{2, 0, 6, 2, 0, 0, 4, 2}));
  EXPECT_EQ(outputs.values<int32_t>(2), (std::vector<int32_t>{0, 0}));
}

TEST(GenerateProposals, LimitsAndThresholds) {
  EXPECT_EQ(propose({0.5F, 0.9F}, 1, -1).values<float>(0), (std::vector<float>{0.9F}));
  EXPECT_EQ(propose({0.5F, 0.9F}, 0, 1).values<float>(0), (std::vector<float>{0.9F}));
  EXPECT_EQ(propose({0.5F, 0.9F}, 0, 0).infos[0].shape, Shape{0}) << "zero is no box at all";
  // The boxes share 4 of 12.
  EXPECT_EQ(propose({0.5F, 0.9F}, 0, -1, 0.33F).values<float>(0), (std::vector<float>{0.9F}));
  EXPECT_EQ(propose({0.5F, 0.9F}, 0, -1, 0.5F, 2.0F).infos[0].shape, Shape{0}) << "a height of 2 is not above 2";
}

TEST(GenerateProposals, EqualScoresComeInIndexOrder) {
  EXPECT_EQ(propose({0.5F, 0.5F}, 1, -1).values<float>(1), (std::vector<float>{0, 0, 4, 2}));
}

// --- DETECTION_POSTPROCESSING -----------------------------------------------------------------------------------------------

// Two anchors that do not overlap, three classes, no deltas.
Outputs postprocess(bool regular, int32_t most, int32_t classes_each, bool background, float threshold = 0.0F) {
  return run_outputs(OperationCode::kDetectionPostprocessing,
                     {floats({1, 2, 3}, {0, 0.6F, 0.3F, 0, 0.2F, 0.9F}), floats({1, 2, 4}, std::vector<float>(8, 0.0F)),
                      floats({2, 4}, {1, 1, 2, 2, 11, 11, 2, 4}), float_scalar(10), float_scalar(10), float_scalar(5),
                      float_scalar(5), bool_scalar(regular), int_scalar(most), int_scalar(classes_each), int_scalar(1),
                      float_scalar(threshold), float_scalar(0.5F), bool_scalar(background)},
                     {output_of(kTensorFloat32), output_of(kTensorFloat32), output_of(kTensorInt32), output_of(kTensorInt32)});
}

TEST(DetectionPostprocessing, RegularModeTreatsClassesByThemselves) {
  const Outputs outputs = postprocess(true, 3, 1, false);
  EXPECT_EQ(outputs.values<float>(0), (std::vector<float>{0.9F, 0.6F, 0})) << "one detection per class";
  EXPECT_EQ(outputs.values<float>(1), (std::vector<float>{10, 9, 12, 13, 0, 0, 2, 2, 0, 0, 0, 0}));
  EXPECT_EQ(outputs.values<int32_t>(2), (std::vector<int32_t>{1, 0, 0}));
  EXPECT_EQ(outputs.values<int32_t>(3), (std::vector<int32_t>{2}));
  EXPECT_EQ(postprocess(true, 3, 1, true).values<int32_t>(2), (std::vector<int32_t>{2, 1, 0}));
}

TEST(DetectionPostprocessing, FastModeGivesTheBestClassesOfEveryAnchor) {
  const Outputs outputs = postprocess(false, 2, 5, false);
  EXPECT_EQ(outputs.infos[0].shape, (Shape{1, 10}));
  const auto scores = outputs.values<float>(0);
  EXPECT_EQ(std::vector<float>(scores.begin(), scores.begin() + 5), (std::vector<float>{0.9F, 0.2F, 0.6F, 0.3F, 0}))
      << "there are two classes only, and entries are packed";
  EXPECT_EQ(outputs.values<int32_t>(3), (std::vector<int32_t>{4}));
  const auto classes = outputs.values<int32_t>(2);
  EXPECT_EQ(std::vector<int32_t>(classes.begin(), classes.begin() + 4), (std::vector<int32_t>{1, 0, 0, 1}));
}

TEST(DetectionPostprocessing, ThresholdsAreStrict) {
  EXPECT_EQ(postprocess(false, 2, 1, false, 0.6F).values<int32_t>(3), (std::vector<int32_t>{1}));
  EXPECT_EQ(postprocess(true, 2, 1, false, 0.9F).values<int32_t>(3), (std::vector<int32_t>{0}));
}

}  // namespace
}  // namespace nnvk::cpu
