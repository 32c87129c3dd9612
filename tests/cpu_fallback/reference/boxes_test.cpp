// Box arithmetic, AXIS_ALIGNED_BBOX_TRANSFORM and HEATMAP_MAX_KEYPOINT against numbers worked out by hand.
#include "cpu_fallback/reference/boxes.h"

#include <bit>
#include <cmath>
#include <limits>

#include "tests/cpu_fallback/reference/operation_outputs.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using enum OperandType;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Exponential, IsNearlyAlwaysTheNearestFloat) {
  int nearest = 0;
  int count = 0;
  for (float x = -87.0F; x < 88.7F; x += 0.0137F) {
    const double exact = std::exp(static_cast<double>(x));
    const auto rounded = static_cast<float>(exact);
    const double unit = static_cast<double>(std::nextafter(rounded, kInfinity)) - rounded;
    EXPECT_LE(std::abs(exponential(x) - exact), 0.53 * unit) << x;
    nearest += exponential(x) == rounded ? 1 : 0;
    ++count;
  }
  EXPECT_GT(nearest, count * 99 / 100);
  EXPECT_EQ(exponential(0.0F), 1.0F);
  EXPECT_EQ(exponential(-0.0F), 1.0F);
}

TEST(Exponential, HasDefinedEnds) {
  EXPECT_EQ(exponential(89.0F), kInfinity);
  EXPECT_EQ(exponential(kInfinity), kInfinity);
  EXPECT_EQ(exponential(-kInfinity), 0.0F);
  EXPECT_EQ(exponential(-88.0F), 0.0F);
  EXPECT_TRUE(std::isnan(exponential(kNan)));
  EXPECT_LT(exponential(88.7F), kInfinity);
}

TEST(ScoreOrder, IsTheOrderOfNumbersWithNanBelowAll) {
  const float ascending[] = {-kInfinity, -1.0F, -1e-40F, 0.0F, 1e-40F, 0.5F, 1.0F, kInfinity};
  uint32_t previous = score_order(kNan);
  EXPECT_EQ(score_order(-kNan), previous);
  for (const float score : ascending) {
    EXPECT_GT(score_order(score), previous) << score;
    previous = score_order(score);
  }
  EXPECT_EQ(score_order(-0.0F), score_order(0.0F));
}

TEST(IntersectionOverUnion, CountsTheCommonArea) {
  EXPECT_EQ(intersection_over_union({0, 0, 2, 1}, {0, 0, 1, 1}), 0.5F);
  EXPECT_EQ(intersection_over_union({0, 0, 1, 1}, {1, 0, 2, 1}), 0.0F) << "touching boxes have nothing in common";
  EXPECT_EQ(intersection_over_union({0, 0, 2, 2}, {1, 1, 3, 3}), 1.0F / 7.0F);
  EXPECT_TRUE(std::isnan(intersection_over_union({1, 1, 1, 1}, {1, 1, 1, 1})));
}

TEST(SelectBoxes, SwappingDecidesAmongEqualScores) {
  // C is the best and changes places with A; then B comes first.
  const auto keep_all = [](Candidate&, const Candidate&) { return false; };
  const auto picked = select_boxes({{0, 0.5F}, {1, 0.5F}, {2, 0.9F}}, -1, keep_all);
  ASSERT_EQ(picked.size(), 3U);
  EXPECT_EQ(picked[0].id, 2U);
  EXPECT_EQ(picked[1].id, 1U);
  EXPECT_EQ(picked[2].id, 0U);
}

TEST(SelectBoxes, TheLastOneTakesThePlaceOfOneThatGoes) {
  // 0 is picked, 1 goes, 4 takes its place: the rest is 4, 2, 3.
  const auto drop_one = [](Candidate& candidate, const Candidate&) { return candidate.id == 1; };
  const auto picked = select_boxes({{0, 0.9F}, {1, 0.5F}, {2, 0.5F}, {3, 0.5F}, {4, 0.5F}}, -1, drop_one);
  ASSERT_EQ(picked.size(), 4U);
  EXPECT_EQ(picked[1].id, 4U);
  EXPECT_EQ(picked[2].id, 2U);
  EXPECT_EQ(picked[3].id, 3U);
  EXPECT_TRUE(select_boxes({{0, 0.9F}}, 0, drop_one).empty());
}

// --- AXIS_ALIGNED_BBOX_TRANSFORM --------------------------------------------------------------------------------------------

Outputs transform(const std::vector<float>& roi, const std::vector<float>& delta, int32_t batch) {
  return run_outputs(OperationCode::kAxisAlignedBboxTransform,
                     {floats({1, 4}, roi), floats({1, static_cast<uint32_t>(delta.size())}, delta), ints({1}, {batch}),
                      floats({2, 2}, {100, 100, 10, 6})},
                     {output_of(kTensorFloat32)});
}

TEST(BboxTransform, MovesScalesAndClips) {
  const float ln2 = 0.69314718F;
  // Centre (2, 1) moves by half the width to (4, 1), the width doubles to 8: 0 to 8, and the image is 6 wide.
  const auto boxes = transform({0, 0, 4, 2}, {0.5F, 0, ln2, 0, 0, 0, 0, 0}, 1).values<float>(0);
  ASSERT_EQ(boxes.size(), 8U);
  const float expected[] = {0, 0, 6, 2, 0, 0, 4, 2};
  for (size_t i = 0; i < 8; ++i) EXPECT_NEAR(boxes[i], expected[i], 1e-5) << i;
}

TEST(BboxTransform, RefusesForeignImagesAndSwappedCorners) {
  EXPECT_EQ(transform({0, 0, 4, 2}, {0, 0, 0, 0}, 2).code(), Code::kOpFailed);
  EXPECT_EQ(transform({0, 0, 4, 2}, {0, 0, 0, 0}, -1).code(), Code::kOpFailed);
  EXPECT_EQ(transform({4, 0, 0, 2}, {0, 0, 0, 0}, 0).code(), Code::kOpFailed);
  EXPECT_EQ(transform({0, 2, 4, 0}, {0, 0, 0, 0}, 0).code(), Code::kOpFailed);
  EXPECT_EQ(transform({0, kNan, 4, 0}, {0, 0, 0, 0}, 0).code(), Code::kOpFailed);
  EXPECT_EQ(transform({1, 1, 1, 1}, {0, 0, 0, 0}, 0).code(), Code::kNoError) << "a point is a box";
}

TEST(BboxTransform, QuantizedBoxesAreEighths) {
  const auto outputs = run_outputs(OperationCode::kAxisAlignedBboxTransform,
                                   {quant16_boxes({1, 4}, {8, 8, 24, 24}), quant8({1, 4}, {132, 128, 128, 128}, 0.0625F, 128),
                                    ints({1}, {0}), quant16_boxes({1, 2}, {800, 30})},
                                   {output_of(kTensorQuant16Asymm, 0.125F, 0)});
  // (1, 1, 3, 3) moves by 0.25 * 2 to the right; 3.5 is 28 eighths, and the image ends at 30.
  EXPECT_EQ(outputs.values<uint16_t>(0), (std::vector<uint16_t>{12, 8, 28, 24}));
}

// --- HEATMAP_MAX_KEYPOINT ---------------------------------------------------------------------------------------------------

Outputs keypoint(const std::vector<float>& map, const std::vector<float>& box = {0, 0, 30, 60}) {
  return run_outputs(OperationCode::kHeatmapMaxKeypoint, {floats({1, 3, 3, 1}, map), floats({1, 4}, box), bool_scalar(false)},
                     {output_of(kTensorFloat32), output_of(kTensorFloat32)});
}

TEST(HeatmapKeypoint, AFlatMapGivesItsFirstCell) {
  const auto outputs = keypoint({2, 2, 2, 2, 2, 2, 2, 2, 2});
  EXPECT_EQ(outputs.values<float>(0), (std::vector<float>{2}));
  EXPECT_EQ(outputs.values<float>(1), (std::vector<float>{5, 10})) << "the middle of cell (0, 0)";
}

TEST(HeatmapKeypoint, TheQuadraticFitFindsTheTruePeak) {
  // -(x - 1.25)^2 - (y - 1)^2
  std::vector<float> map;
  for (const float y : {0.0F, 1.0F, 2.0F}) {
    for (const float x : {0.0F, 1.0F, 2.0F}) map.push_back(-(x - 1.25F) * (x - 1.25F) - (y - 1) * (y - 1));
  }
  const auto outputs = keypoint(map);
  EXPECT_NEAR(outputs.values<float>(0)[0], 0.0F, 1e-6);
  EXPECT_NEAR(outputs.values<float>(1)[0], (1.25F + 0.5F) / 3 * 30, 1e-5);
  EXPECT_NEAR(outputs.values<float>(1)[1], (1.0F + 0.5F) / 3 * 60, 1e-5);
}

TEST(HeatmapKeypoint, APeakMovesByAtMostOneAndAHalfCells) {
  // The mirrored column is as high as the peak next to it: the fit leads far away and is cut.
  const auto outputs = keypoint({0, 0, 0, 0.9F, 1.0F, 1.099F, 0, 0, 0});
  const float x = outputs.values<float>(1)[0] / 30 * 3 - 0.5F;
  EXPECT_LE(std::abs(x - 2.0F), 1.5F + 1e-5F);
}

TEST(HeatmapKeypoint, NothingAboveTheStartGivesTheStart) {
  const auto outputs = keypoint(std::vector<float>(9, -kInfinity));
  EXPECT_EQ(outputs.code(), Code::kNoError);
  EXPECT_EQ(keypoint(std::vector<float>(9, 1.0F), {3, 0, 1, 0}).code(), Code::kOpFailed);
  EXPECT_EQ(keypoint(std::vector<float>(9, 1.0F), {0, 0, 1, kNan}).code(), Code::kOpFailed);
}

}  // namespace
}  // namespace nnvk::cpu
