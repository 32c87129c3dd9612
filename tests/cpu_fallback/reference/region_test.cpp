// ROI_ALIGN and ROI_POOLING against numbers worked out by hand.
#include <cmath>
#include <limits>

#include "tests/cpu_fallback/reference/operation_outputs.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using enum OperandType;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<Operand> region_inputs(Operand image, Operand rois, std::vector<int32_t> batches, int32_t size, float stride,
                                   std::vector<int32_t> samples, bool nchw = false) {
  const auto count = static_cast<uint32_t>(batches.size());
  std::vector<Operand> inputs{std::move(image), std::move(rois),      ints({count}, batches), int_scalar(size),
                              int_scalar(size), float_scalar(stride), float_scalar(stride)};
  for (const int32_t value : samples) inputs.push_back(int_scalar(value));
  inputs.push_back(bool_scalar(nchw));
  return inputs;
}

Operand counting_image() {
  std::vector<float> values(16);
  for (size_t i = 0; i < 16; ++i) values[i] = static_cast<float>(i + 1);
  return floats({1, 4, 4, 1}, values);
}

Outputs pool(Operand image, const std::vector<float>& roi, int32_t size, float stride = 1.0F) {
  return run_outputs(OperationCode::kRoiPooling, region_inputs(std::move(image), floats({1, 4}, roi), {0}, size, stride, {}),
                     {output_of(kTensorFloat32)});
}

TEST(RoiPooling, TakesTheMaximumOfEveryBin) {
  EXPECT_EQ(pool(counting_image(), {0, 0, 3, 3}, 2).values<float>(0), (std::vector<float>{6, 8, 14, 16}));
  // The same box in an image of twice the size.
  EXPECT_EQ(pool(counting_image(), {0, 0, 6, 6}, 2, 2.0F).values<float>(0), (std::vector<float>{6, 8, 14, 16}));
}

TEST(RoiPooling, CornersRoundHalvesAwayFromZero) {
  // 0.5 becomes 1 and 1.5 becomes 2: columns and rows 1 and 2.
  EXPECT_EQ(pool(counting_image(), {0.5F, 0.5F, 1.5F, 1.5F}, 1).values<float>(0), (std::vector<float>{11}));
}

TEST(RoiPooling, BinsOverlapWhenTheyDoNotDivideTheRegion) {
  // Three columns in two bins: [0, 1.5) covers 0 and 1, [1.5, 3) covers 1 and 2.
  EXPECT_EQ(pool(counting_image(), {0, 0, 2, 2}, 2).values<float>(0), (std::vector<float>{6, 7, 10, 11}));
}

TEST(RoiPooling, AnEmptyBinGivesZero) {
  EXPECT_EQ(pool(counting_image(), {4, 4, 4, 4}, 1).values<float>(0), (std::vector<float>{0}));
  const auto quantized = run_outputs(
      OperationCode::kRoiPooling,
      region_inputs(quant8({1, 2, 2, 1}, {1, 2, 3, 4}, 0.5F, 9), quant16_boxes({1, 4}, {16, 16, 16, 16}), {0}, 1, 1.0F, {}),
      {output_of(kTensorQuant8Asymm, 0.5F, 9)});
  EXPECT_EQ(quantized.values<uint8_t>(0), (std::vector<uint8_t>{9})) << "the zero point stands for 0";
}

TEST(RoiPooling, NanIsTakenFirstAndNotReplaced) {
  EXPECT_TRUE(std::isnan(pool(floats({1, 1, 2, 1}, {kNan, 5}), {0, 0, 1, 0}, 1).values<float>(0)[0]));
  EXPECT_EQ(pool(floats({1, 1, 2, 1}, {5, kNan}), {0, 0, 1, 0}, 1).values<float>(0)[0], 5.0F);
}

Outputs align(Operand image, const std::vector<float>& roi, int32_t samples, int32_t batch = 0, bool nchw = false) {
  return run_outputs(OperationCode::kRoiAlign,
                     region_inputs(std::move(image), floats({1, 4}, roi), {batch}, 1, 1.0F, {samples, samples}, nchw),
                     {output_of(kTensorFloat32)});
}

TEST(RoiAlign, SamplesAreBilinear) {
  const Operand image = floats({1, 2, 2, 1}, {1, 2, 3, 4});
  EXPECT_EQ(align(image, {0, 0, 1, 1}, 1).values<float>(0), (std::vector<float>{2.5F}));
  EXPECT_EQ(align(image, {0, 0, 2, 2}, 1).values<float>(0), (std::vector<float>{4})) << "beyond the last cell there is no mixing";
  // Samples at 0.5 and 1.5 in both directions: 2.5, 3, 3.5 and 4.
  EXPECT_EQ(align(image, {0, 0, 2, 2}, 0).values<float>(0), (std::vector<float>{3.25F})) << "two adaptive samples";
  EXPECT_EQ(align(image, {0, 0, 0, 0}, 1).values<float>(0), (std::vector<float>{2.5F})) << "a region is at least one cell large";
}

TEST(RoiAlign, BothLayoutsGiveTheSameChannels) {
  const auto nhwc = align(floats({1, 2, 2, 2}, {1, 10, 2, 20, 3, 30, 4, 40}), {0, 0, 1, 1}, 1);
  const auto nchw = align(floats({1, 2, 2, 2}, {1, 2, 3, 4, 10, 20, 30, 40}), {0, 0, 1, 1}, 1, 0, true);
  EXPECT_EQ(nhwc.values<float>(0), (std::vector<float>{2.5F, 25}));
  EXPECT_EQ(nchw.values<float>(0), (std::vector<float>{2.5F, 25}));
}

TEST(RoiAlign, WeightsOfQuantizedImagesAre255ths) {
  const auto quantized = [](float out_scale) {
    return run_outputs(
        OperationCode::kRoiAlign,
        region_inputs(quant8({1, 2, 2, 1}, {1, 2, 3, 4}, 0.5F, 0), quant16_boxes({1, 4}, {0, 0, 8, 8}), {0}, 1, 1.0F, {1, 1}),
        {output_of(kTensorQuant8Asymm, out_scale, 10)});
  };
  // Every weight is 63.75, rounded to 64: 64 * 10 * (0.5 / 255 / 0.25) = 5.02, plus the zero point.
  EXPECT_EQ(quantized(0.25F).values<uint8_t>(0), (std::vector<uint8_t>{15}));
  EXPECT_EQ(quantized(0.001F).code(), Code::kOpFailed) << "the multiplier is above 1";
}

TEST(RoiAlign, RegionsMustLieInTheImage) {
  const Operand image = floats({1, 2, 2, 1}, {1, 2, 3, 4});
  EXPECT_EQ(align(image, {0, 0, 1, 1}, 1, 1).code(), Code::kOpFailed) << "there is no image 1";
  EXPECT_EQ(align(image, {0, 0, 1, 1}, 1, std::numeric_limits<int32_t>::min()).code(), Code::kOpFailed);
  EXPECT_EQ(align(image, {0, 0, 2.5F, 1}, 1).code(), Code::kOpFailed);
  EXPECT_EQ(align(image, {-0.5F, 0, 1, 1}, 1).code(), Code::kOpFailed);
  EXPECT_EQ(align(image, {1, 0, 0, 1}, 1).code(), Code::kOpFailed);
  EXPECT_EQ(align(image, {0, 1, 1, 0}, 1).code(), Code::kOpFailed);
  for (size_t corner = 0; corner < 4; ++corner) {
    std::vector<float> roi{0, 0, 1, 1};
    roi[corner] = kNan;
    EXPECT_EQ(align(image, roi, 1).code(), Code::kOpFailed) << corner;
  }
}

TEST(RoiAlign, ASingleCellMayHaveMillionsOfSamples) {
  const auto mean = align(floats({1, 2, 2, 1}, {0.5F, 0.5F, 0.5F, 0.5F}), {0, 0, 1, 1}, 1500).values<float>(0);
  ASSERT_EQ(mean.size(), 1U);
  EXPECT_NEAR(mean[0], 0.5F, 0.01F);  // millions of float32 additions
}

TEST(RoiAlign, AbsurdSampleCountsAreRefused) {
  const Operand image = floats({1, 2, 2, 1}, {1, 2, 3, 4});
  EXPECT_EQ(align(image, {0, 0, 1, 1}, std::numeric_limits<int32_t>::max()).code(), Code::kOpFailed);
  EXPECT_EQ(align(image, {0, 0, 1, 1}, -1).code(), Code::kOpFailed);
}

}  // namespace
}  // namespace nnvk::cpu
