// Box arithmetic, and HEATMAP_MAX_KEYPOINT at its limits.
#include "cpu_fallback/reference/boxes.h"

#include <bit>
#include <cmath>
#include <limits>

#include "tests/cpu_fallback/reference/device_runner.h"

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
  // C is the best and swaps places with A; then B is first.
  const auto keep_all = [](Candidate&, const Candidate&) { return false; };
  const auto picked = select_boxes({{0, 0.5F}, {1, 0.5F}, {2, 0.9F}}, -1, keep_all);
  ASSERT_EQ(picked.size(), 3U);
  EXPECT_EQ(picked[0].id, 2U);
  EXPECT_EQ(picked[1].id, 1U);
  EXPECT_EQ(picked[2].id, 0U);
}

TEST(SelectBoxes, TheLastOneTakesThePlaceOfOneThatGoes) {
  // 0 is picked, 1 is dropped, and 4 takes its place: the rest is 4, 2, 3.
  const auto drop_one = [](Candidate& candidate, const Candidate&) { return candidate.id == 1; };
  const auto picked = select_boxes({{0, 0.9F}, {1, 0.5F}, {2, 0.5F}, {3, 0.5F}, {4, 0.5F}}, -1, drop_one);
  ASSERT_EQ(picked.size(), 4U);
  EXPECT_EQ(picked[1].id, 4U);
  EXPECT_EQ(picked[2].id, 2U);
  EXPECT_EQ(picked[3].id, 3U);
  EXPECT_TRUE(select_boxes({{0, 0.9F}}, 0, drop_one).empty());
}

// --- HEATMAP_MAX_KEYPOINT ---------------------------------------------------------------------------------------------------

Outputs keypoint(const std::vector<float>& map) {
  return run_outputs(OperationCode::kHeatmapMaxKeypoint,
                     {floats({1, 3, 3, 1}, map), floats({1, 4}, {0, 0, 30, 60}), bool_scalar(false)},
                     {output_of(kTensorFloat32), output_of(kTensorFloat32)});
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
}

}  // namespace
}  // namespace nnvk::cpu
