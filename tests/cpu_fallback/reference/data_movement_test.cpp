// Operations that move, convert, reduce and compare elements, with results worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/cpu_fallback/reference/device_runner.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using testing::ElementsAre;
using enum OperandType;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Reshape, InfersOneDimensionAndKeepsTheOrder) {
  const auto r =
      run_operation<float>(OperationCode::kReshape, {floats({2, 3}, {1, 2, 3, 4, 5, 6}), ints({2}, {-1, 2})}, kTensorFloat32);
  EXPECT_EQ(r.shape, Shape({3, 2}));
  EXPECT_THAT(r.values, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Squeeze, OfEverythingGivesOneElement) {
  const auto r = run_operation<float>(OperationCode::kSqueeze, {floats({1, 1}, {7}), ints({2}, {0, -1})}, kTensorFloat32);
  EXPECT_EQ(r.shape, Shape({1}));
  EXPECT_THAT(r.values, ElementsAre(7));
}

TEST(Transpose, PermutesEveryElementWidth) {
  const auto wide = run_operation<float>(OperationCode::kTranspose, {floats({2, 1, 3}, {1, 2, 3, 4, 5, 6}), ints({3}, {2, 0, 1})},
                                         kTensorFloat32);
  EXPECT_EQ(wide.shape, Shape({3, 2, 1}));
  EXPECT_THAT(wide.values, ElementsAre(1, 4, 2, 5, 3, 6));
  const auto narrow = run_operation<uint8_t>(OperationCode::kTranspose, {quant8({2, 2}, {1, 2, 3, 4}, 1, 0), ints({2}, {1, 0})},
                                             kTensorQuant8Asymm, 1, 0);
  EXPECT_THAT(narrow.values, ElementsAre(1, 3, 2, 4));
}

TEST(Transpose, WithoutAPermutationSwapsTwoDimensions) {
  Operand none = ints({2}, {});
  none.present = false;
  const auto r = run_operation<float>(OperationCode::kTranspose, {floats({2, 3}, {1, 2, 3, 4, 5, 6}), none}, kTensorFloat32);
  ASSERT_TRUE(r.status) << r.status.error().message;
  EXPECT_THAT(r.values, ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(Slice, TakesABlock) {
  const auto r = run_operation<int32_t>(
      OperationCode::kSlice, {ints({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), ints({2}, {1, 1}), ints({2}, {1, -1})}, kTensorInt32);
  EXPECT_EQ(r.shape, Shape({1, 2}));
  EXPECT_THAT(r.values, ElementsAre(5, 6));
}

TEST(StridedSlice, StepsBackwardsAndDropsShrunkDimensions) {
  const auto run = [](const std::vector<int32_t>& begin, const std::vector<int32_t>& end, const std::vector<int32_t>& strides,
                      int32_t begin_mask, int32_t end_mask, int32_t shrink) {
    return run_operation<float>(OperationCode::kStridedSlice,
                                {floats({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), ints({2}, begin), ints({2}, end), ints({2}, strides),
                                 int_scalar(begin_mask), int_scalar(end_mask), int_scalar(shrink)},
                                kTensorFloat32);
  };
  EXPECT_THAT(run({0, 0}, {2, 4}, {1, 2}, 0, 0, 0).values, ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(run({0, 0}, {0, 0}, {-1, -1}, 3, 3, 0).values, ElementsAre(8, 7, 6, 5, 4, 3, 2, 1));
  EXPECT_THAT(run({0, 3}, {2, -9}, {1, -2}, 0, 0, 0).values, ElementsAre(4, 2, 8, 6));
  const auto row = run({1, 0}, {2, 4}, {1, 1}, 0, 0, 1);
  EXPECT_EQ(row.shape, Shape({4}));
  EXPECT_THAT(row.values, ElementsAre(5, 6, 7, 8));
  EXPECT_FALSE(run({0, 0}, {2, 4}, {1, 1}, 0, 0, 1).status);  // a shrunk dimension of length 2
}

TEST(Pad, FillsWithTheZeroPoint) {
  const auto r = run_operation<int8_t>(OperationCode::kPad, {signed8({1, 2}, {5, 6}, 1, -3), ints({2, 2}, {0, 1, 1, 0})},
                                       kTensorQuant8AsymmSigned, 1, -3);
  EXPECT_EQ(r.shape, Shape({2, 3}));
  EXPECT_THAT(r.values, ElementsAre(-3, 5, 6, -3, -3, -3));
}

TEST(PadV2, FillsWithTheGivenValue) {
  EXPECT_THAT(
      run_operation<float>(OperationCode::kPadV2, {floats({1}, {5}), ints({1, 2}, {1, 2}), float_scalar(9)}, kTensorFloat32)
          .values,
      ElementsAre(9, 5, 9, 9));
  EXPECT_THAT(run_operation<uint8_t>(OperationCode::kPadV2, {quant8({1}, {5}, 1, 3), ints({1, 2}, {1, 0}), int_scalar(200)},
                                     kTensorQuant8Asymm, 1, 3)
                  .values,
              ElementsAre(200, 5));
}

TEST(Concatenation, JoinsAlongAnyAxis) {
  const auto a = floats({2, 1}, {1, 2});
  const auto b = floats({2, 2}, {3, 4, 5, 6});
  EXPECT_THAT(run_operation<float>(OperationCode::kConcatenation, {a, b, int_scalar(1)}, kTensorFloat32).values,
              ElementsAre(1, 3, 4, 2, 5, 6));
  EXPECT_THAT(run_operation<float>(OperationCode::kConcatenation, {a, a, int_scalar(0)}, kTensorFloat32).values,
              ElementsAre(1, 2, 1, 2));
  EXPECT_FALSE(run_operation<float>(OperationCode::kConcatenation, {a, b, int_scalar(-1)}, kTensorFloat32).status);
}

TEST(Concatenation, RequantizesInputsWithOtherParameters) {
  // (q - 10) * 0.5 written as (q' - 20) * 0.25: 12 -> 1.0 -> 24; 255 saturates. The second input has the output's parameters.
  const auto r = run_operation<uint8_t>(OperationCode::kConcatenation,
                                        {quant8({2}, {12, 255}, 0.5F, 10), quant8({1}, {77}, 0.25F, 20), int_scalar(0)},
                                        kTensorQuant8Asymm, 0.25F, 20);
  EXPECT_THAT(r.values, ElementsAre(24, 255, 77));
  const auto s = run_operation<int8_t>(OperationCode::kConcatenation, {signed8({2}, {12, -128}, 0.5F, 10), int_scalar(0)},
                                       kTensorQuant8AsymmSigned, 0.25F, 20);
  EXPECT_THAT(s.values, ElementsAre(24, -128));
}

TEST(Quantize, RoundsHalfAwayFromZeroAndSaturates) {
  const auto in = floats({7}, {0.25F, -0.25F, 0.2F, 1e9F, -kInfinity, kNan, 0});
  EXPECT_THAT(run_operation<uint8_t>(OperationCode::kQuantize, {in}, kTensorQuant8Asymm, 0.5F, 100).values,
              ElementsAre(101, 99, 100, 255, 0, 255, 100));
  EXPECT_THAT(run_operation<int8_t>(OperationCode::kQuantize, {in}, kTensorQuant8AsymmSigned, 0.5F, -1).values,
              ElementsAre(0, -2, -1, 127, -128, 127, -1));
}

TEST(Dequantize, UsesTheScaleOfEachChannel) {
  EXPECT_THAT(run_operation<float>(OperationCode::kDequantize, {quant8({2}, {0, 255}, 0.5F, 128)}, kTensorFloat32).values,
              ElementsAre(-64, 63.5F));
  Operand weights = tensor<int8_t>(kTensorQuant8SymmPerChannel, {2, 2}, {1, 1, -2, -2});
  weights.info.channel_quant = std::make_shared<ChannelQuant>(ChannelQuant{1, {0.5F, 4.0F}});
  EXPECT_THAT(run_operation<float>(OperationCode::kDequantize, {weights}, kTensorFloat32).values, ElementsAre(0.5F, 4, -1, -8));
  weights.info.channel_quant = std::make_shared<ChannelQuant>(ChannelQuant{0, {0.5F, 4.0F}});
  EXPECT_THAT(run_operation<float>(OperationCode::kDequantize, {weights}, kTensorFloat32).values,
              ElementsAre(0.5F, 0.5F, -8, -8));
  EXPECT_THAT(run_operation<uint16_t>(OperationCode::kDequantize, {signed8({1}, {-2}, 0.5F, 0)}, kTensorFloat16).values,
              ElementsAre(0xBC00));
}

TEST(Cast, TruncatesAndSaturates) {
  const auto in = floats({6}, {1.9F, -1.9F, 300, 3e9F, -kInfinity, kNan});
  EXPECT_THAT(run_operation<int32_t>(OperationCode::kCast, {in}, kTensorInt32).values,
              ElementsAre(1, -1, 300, INT32_MAX, INT32_MIN, 0));
  EXPECT_THAT(run_operation<uint8_t>(OperationCode::kCast, {in}, kTensorQuant8Asymm, 7, 5).values,
              ElementsAre(1, 0, 255, 255, 0, 0));
  EXPECT_THAT(run_operation<float>(OperationCode::kCast, {quant8({2}, {0, 255}, 9, 8)}, kTensorFloat32).values,
              ElementsAre(0, 255));
  EXPECT_THAT(run_operation<uint16_t>(OperationCode::kCast, {ints({2}, {-2, 70000})}, kTensorFloat16).values,
              ElementsAre(0xC000, 0x7C00));
  EXPECT_THAT(run_operation<uint8_t>(OperationCode::kCast, {tensor<uint8_t>(kTensorBool8, {2}, {1, 0})}, kTensorBool8).values,
              ElementsAre(1, 0));
}

TEST(Mean, ReducesAnySetOfAxes) {
  const auto in = floats({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto outer = run_operation<float>(OperationCode::kMean, {in, ints({3}, {0, -3, 2}), int_scalar(1)}, kTensorFloat32);
  EXPECT_EQ(outer.shape, Shape({1, 2, 1}));
  EXPECT_THAT(outer.values, ElementsAre(3.5F, 5.5F));
  const auto all = run_operation<float>(OperationCode::kMean, {in, ints({3}, {0, 1, 2}), int_scalar(0)}, kTensorFloat32);
  EXPECT_EQ(all.shape, Shape({1}));
  EXPECT_THAT(all.values, ElementsAre(4.5F));
}

TEST(Mean, QuantizedQuotientsRoundDown) {
  EXPECT_THAT(run_operation<uint8_t>(OperationCode::kMean, {quant8({2}, {3, 4}, 1, 9), ints({1}, {0}), int_scalar(0)},
                                     kTensorQuant8Asymm, 1, 9)
                  .values,
              ElementsAre(3));
  EXPECT_THAT(run_operation<int8_t>(OperationCode::kMean, {signed8({2}, {-3, -4}, 1, 9), ints({1}, {0}), int_scalar(0)},
                                    kTensorQuant8AsymmSigned, 1, 9)
                  .values,
              ElementsAre(-4));
}

TEST(Argmax, TiesGoToTheLowestIndexAndNanNeverWinsLater) {
  EXPECT_THAT(
      run_operation<int32_t>(OperationCode::kArgmax, {floats({2, 3}, {1, 5, 5, kNan, 9, 2}), int_scalar(-1)}, kTensorInt32)
          .values,
      ElementsAre(1, 0));
  EXPECT_THAT(
      run_operation<int32_t>(OperationCode::kArgmax, {floats({2, 2}, {1, kNan, 0, 5}), int_scalar(0)}, kTensorInt32).values,
      ElementsAre(0, 0));
  const auto single =
      run_operation<int32_t>(OperationCode::kArgmax, {signed8({3}, {-5, -1, -9}, 1, 0), int_scalar(0)}, kTensorInt32);
  EXPECT_EQ(single.shape, Shape({1}));
  EXPECT_THAT(single.values, ElementsAre(1));
  EXPECT_FALSE(run_operation<int32_t>(OperationCode::kArgmax, {floats({2}, {1, 2}), int_scalar(1)}, kTensorInt32).status);
}

TEST(Softmax, SumsToOneAlongItsAxis) {
  const auto in = floats({2, 2}, {0, std::log(3.0F), 1000, 1000});
  const auto rows = run_operation<float>(OperationCode::kSoftmax, {in, float_scalar(1)}, kTensorFloat32).values;
  EXPECT_FLOAT_EQ(rows[0], 0.25F);
  EXPECT_FLOAT_EQ(rows[1], 0.75F);
  EXPECT_FLOAT_EQ(rows[2], 0.5F);
  const auto columns = run_operation<float>(OperationCode::kSoftmax, {in, float_scalar(1), int_scalar(0)}, kTensorFloat32).values;
  EXPECT_FLOAT_EQ(columns[0], 0.0F);
  EXPECT_FLOAT_EQ(columns[2], 1.0F);
  EXPECT_FALSE(run_operation<float>(OperationCode::kSoftmax, {in, float_scalar(0)}, kTensorFloat32).status);
}

TEST(Softmax, QuantizedSlicesStayWithinOneStep) {
  for (const float scale : {0.01F, 0.1F, 1.0F}) {
    for (const size_t count : {size_t{1}, size_t{3}, size_t{100}, size_t{9000}}) {
      std::vector<uint8_t> bytes(count);
      for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(i * 7919 % 251);
      const auto shape = Shape({1, static_cast<uint32_t>(count)});
      const auto r = run_operation<uint8_t>(OperationCode::kSoftmax, {quant8(shape, bytes, scale, 128), float_scalar(1)},
                                            kTensorQuant8Asymm, 1.0F / 256, 0);
      ASSERT_TRUE(r.status);
      double sum = 0;
      for (const uint8_t b : bytes) sum += std::exp(b * static_cast<double>(scale));
      for (size_t i = 0; i < count; ++i) {
        EXPECT_NEAR(r.values[i], std::min(255.0, 256 * std::exp(bytes[i] * static_cast<double>(scale)) / sum), 1.0);
      }
    }
  }
}

}  // namespace
}  // namespace nnvk::cpu
