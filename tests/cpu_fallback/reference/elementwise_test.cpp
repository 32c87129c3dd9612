// ADD, SUB, MUL, DIV, PRELU and the one-operand functions, with results worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfloat>
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
constexpr int32_t kMin = std::numeric_limits<int32_t>::min();

TEST(Add, BroadcastsOverEveryDimension) {
  const auto r = run_operation<float>(
      OperationCode::kAdd, {floats({2, 1, 2}, {1, 2, 3, 4}), floats({3, 1}, {10, 20, 30}), int_scalar(0)}, kTensorFloat32);
  ASSERT_TRUE(r.status);
  EXPECT_EQ(r.shape, Shape({2, 3, 2}));
  EXPECT_THAT(r.values, ElementsAre(11, 12, 21, 22, 31, 32, 13, 14, 23, 24, 33, 34));
}

TEST(Add, ClampsToTheFiniteRangeAndLetsNanThrough) {
  const auto r = run_operation<float>(
      OperationCode::kAdd, {floats({3}, {kInfinity, -kInfinity, kNan}), floats({1}, {1}), int_scalar(0)}, kTensorFloat32);
  EXPECT_EQ(r.values[0], FLT_MAX);
  EXPECT_EQ(r.values[1], -FLT_MAX);
  EXPECT_TRUE(std::isnan(r.values[2]));
}

TEST(Add, AppliesItsActivation) {
  const auto run = [](int32_t activation) {
    return run_operation<float>(OperationCode::kAdd, {floats({3}, {-9, 0.5F, 9}), floats({1}, {0}), int_scalar(activation)},
                                kTensorFloat32)
        .values;
  };
  EXPECT_THAT(run(1), ElementsAre(0, 0.5F, 9));
  EXPECT_THAT(run(2), ElementsAre(-1, 0.5F, 1));
  EXPECT_THAT(run(3), ElementsAre(0, 0.5F, 6));
}

TEST(Add, RefusesUnknownActivations) {
  for (const int32_t activation : {-1, 4, 1000}) {
    const auto r =
        run_operation<float>(OperationCode::kAdd, {floats({1}, {0}), floats({1}, {0}), int_scalar(activation)}, kTensorFloat32);
    ASSERT_FALSE(r.status);
    EXPECT_EQ(r.status.error().code, Code::kOpFailed);
  }
}

TEST(Add, RoundsHalfSumsOnce) {
  // 2048 + 1.5 = 2049.5, between 2048 and 2050 in half precision.
  const auto r = run_operation<uint16_t>(
      OperationCode::kAdd,
      {tensor<uint16_t>(kTensorFloat16, {1}, {0x6800}), tensor<uint16_t>(kTensorFloat16, {1}, {0x3E00}), int_scalar(0)},
      kTensorFloat16);
  EXPECT_THAT(r.values, ElementsAre(0x6801));  // 2050
}

TEST(Add, IntegersWrap) {
  const auto r =
      run_operation<int32_t>(OperationCode::kAdd, {ints({2}, {INT32_MAX, 5}), ints({2}, {1, -7}), int_scalar(0)}, kTensorInt32);
  EXPECT_THAT(r.values, ElementsAre(kMin, -2));
  EXPECT_FALSE(run_operation<int32_t>(OperationCode::kAdd, {ints({1}, {1}), ints({1}, {1}), int_scalar(1)}, kTensorInt32).status);
}

TEST(Add, QuantizedOperandsAreBroughtToOneScale) {
  // a = (q - 128) / 2, b = (q - 0) / 4, out = (q - 10) / 2: 3.0 + 1.25 = 4.25 -> 8.5 steps -> 9 (ties away) + 10.
  const auto r = run_operation<uint8_t>(OperationCode::kAdd,
                                        {quant8({2}, {134, 255}, 0.5F, 128), quant8({2}, {5, 255}, 0.25F, 0), int_scalar(0)},
                                        kTensorQuant8Asymm, 0.5F, 10);
  ASSERT_TRUE(r.status);
  EXPECT_THAT(r.values, ElementsAre(19, 255));  // 63.5 + 63.75 = 127.25 -> 254.5 + 10 saturates
}

TEST(Add, RefusesAnOutputScaleThatIsTooSmall) {
  const auto r = run_operation<uint8_t>(
      OperationCode::kAdd, {quant8({1}, {1}, 1.0F, 0), quant8({1}, {1}, 1.0F, 0), int_scalar(0)}, kTensorQuant8Asymm, 1e-6F, 0);
  ASSERT_FALSE(r.status);
  EXPECT_EQ(r.status.error().code, Code::kOpFailed);
}

TEST(Sub, SubtractsInEveryType) {
  EXPECT_THAT(
      run_operation<float>(OperationCode::kSub, {floats({2}, {5, 1}), floats({1}, {3}), int_scalar(1)}, kTensorFloat32).values,
      ElementsAre(2, 0));
  EXPECT_THAT(
      run_operation<int32_t>(OperationCode::kSub, {ints({1}, {kMin}), ints({1}, {1}), int_scalar(0)}, kTensorInt32).values,
      ElementsAre(INT32_MAX));
  // (100 - 40) * 1 = 60 -> 60 / 2 - 128.
  EXPECT_THAT(
      run_operation<int8_t>(OperationCode::kSub, {signed8({1}, {100}, 1.0F, 0), signed8({1}, {40}, 1.0F, 0), int_scalar(0)},
                            kTensorQuant8AsymmSigned, 2.0F, -128)
          .values,
      ElementsAre(-98));
}

TEST(Mul, MultipliesInEveryType) {
  EXPECT_THAT(
      run_operation<float>(OperationCode::kMul, {floats({2}, {5, -1}), floats({1}, {3}), int_scalar(3)}, kTensorFloat32).values,
      ElementsAre(6, 0));
  EXPECT_THAT(
      run_operation<int32_t>(OperationCode::kMul, {ints({1}, {1 << 20}), ints({1}, {(1 << 12) + 1}), int_scalar(0)}, kTensorInt32)
          .values,
      ElementsAre(1 << 20));
  // Two roundings: 3 * 3 = 9 -> 4.5 -> 5 (HI) -> 2.5 -> 3 (RSH), although 9 / 4 is nearer to 2; -10 * 3 = -30 -> -15 -> -7.5 ->
  // -8.
  const auto r =
      run_operation<uint8_t>(OperationCode::kMul, {quant8({2}, {13, 0}, 0.5F, 10), quant8({1}, {7}, 0.5F, 4), int_scalar(0)},
                             kTensorQuant8Asymm, 1.0F, 100);
  EXPECT_THAT(r.values, ElementsAre(103, 92));
}

TEST(Mul, RefusesAnOutputScaleNotAboveTheProduct) {
  const auto r = run_operation<uint8_t>(
      OperationCode::kMul, {quant8({1}, {1}, 1.0F, 0), quant8({1}, {1}, 1.0F, 0), int_scalar(0)}, kTensorQuant8Asymm, 1.0F, 0);
  EXPECT_FALSE(r.status);
}

TEST(Div, IntegersDivideTowardMinusInfinity) {
  const auto r = run_operation<int32_t>(
      OperationCode::kDiv, {ints({7}, {7, -7, 7, -7, 6, kMin, 9}), ints({7}, {2, 2, -2, -2, -3, -1, 0}), int_scalar(0)},
      kTensorInt32);
  EXPECT_THAT(r.values, ElementsAre(3, -4, -4, 3, -2, kMin, 0));
}

TEST(Div, FloatDivisionByZeroIsClamped) {
  const auto r =
      run_operation<float>(OperationCode::kDiv, {floats({3}, {1, -1, 0}), floats({1}, {0}), int_scalar(0)}, kTensorFloat32)
          .values;
  EXPECT_EQ(r[0], FLT_MAX);
  EXPECT_EQ(r[1], -FLT_MAX);
  EXPECT_TRUE(std::isnan(r[2]));
}

TEST(Prelu, ScalesNegativeValuesByTheSlope) {
  EXPECT_THAT(
      run_operation<float>(OperationCode::kPrelu, {floats({2, 2}, {1, -1, -2, 4}), floats({2}, {0.5F, 3})}, kTensorFloat32)
          .values,
      ElementsAre(1, -3, -1, 4));
  // x = (q - 100) / 2, slope = (q - 0) / 4, out = (q - 50) / 2: x = -4, slope 0.5 -> -2 -> 46; x = 3 -> 56.
  EXPECT_THAT(run_operation<uint8_t>(OperationCode::kPrelu, {quant8({2}, {92, 106}, 0.5F, 100), quant8({1}, {2}, 0.25F, 0)},
                                     kTensorQuant8Asymm, 0.5F, 50)
                  .values,
              ElementsAre(46, 56));
}

TEST(Relu, NanBecomesTheLowerBound) {
  const std::vector<float> x{-2, 0.5F, 9, kNan, kInfinity};
  const auto run = [&](OperationCode code) { return run_operation<float>(code, {floats({5}, x)}, kTensorFloat32).values; };
  EXPECT_THAT(run(OperationCode::kRelu), ElementsAre(0, 0.5F, 9, 0, FLT_MAX));
  EXPECT_THAT(run(OperationCode::kRelu1), ElementsAre(-1, 0.5F, 1, -1, 1));
  EXPECT_THAT(run(OperationCode::kRelu6), ElementsAre(0, 0.5F, 6, 0, 6));
}

TEST(Relu, QuantizedValuesAreClampedRaw) {
  // Scale 0.5, zero point 100: -1 is 98, 1 is 102, 6 is 112.
  const auto run = [&](OperationCode code) {
    return run_operation<uint8_t>(code, {quant8({4}, {0, 99, 103, 255}, 0.5F, 100)}, kTensorQuant8Asymm, 0.5F, 100).values;
  };
  EXPECT_THAT(run(OperationCode::kRelu), ElementsAre(100, 100, 103, 255));
  EXPECT_THAT(run(OperationCode::kRelu1), ElementsAre(98, 99, 102, 102));
  EXPECT_THAT(run(OperationCode::kRelu6), ElementsAre(100, 100, 103, 112));
}

// Quantized functions stay within one step of the exact result for every byte.
template <class T>
void expect_within_one_step(OperationCode code, OperandType type, float scale, int32_t zero_point, float out_scale,
                            int32_t out_zero_point, double (*exact)(double)) {
  std::vector<T> bytes(256);
  for (size_t i = 0; i < 256; ++i) bytes[i] = static_cast<T>(i);
  const auto r = run_operation<T>(code, {tensor(type, {256}, bytes, scale, zero_point)}, type, out_scale, out_zero_point);
  ASSERT_TRUE(r.status) << r.status.error().message;
  for (size_t i = 0; i < 256; ++i) {
    const double steps = std::round(exact((bytes[i] - zero_point) * static_cast<double>(scale)) / out_scale) + out_zero_point;
    const double wanted = std::clamp<double>(steps, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
    EXPECT_NEAR(r.values[i], wanted, 1.0) << "byte " << i << " scale " << scale;
  }
}

TEST(QuantizedFunctions, StayWithinOneStepOfTheExactResult) {
  const auto logistic = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  const auto tangent = [](double x) { return std::tanh(x); };
  const auto hard_swish = [](double x) { return x * std::clamp(x + 3.0, 0.0, 6.0) / 6.0; };
  for (const float scale : {0.01F, 0.05F, 0.3F, 2.0F}) {
    expect_within_one_step<uint8_t>(OperationCode::kLogistic, kTensorQuant8Asymm, scale, 120, 1.0F / 256, 0, logistic);
    expect_within_one_step<int8_t>(OperationCode::kLogistic, kTensorQuant8AsymmSigned, scale, 3, 1.0F / 256, -128, logistic);
    expect_within_one_step<uint8_t>(OperationCode::kTanh, kTensorQuant8Asymm, scale, 120, 1.0F / 128, 128, tangent);
    expect_within_one_step<int8_t>(OperationCode::kTanh, kTensorQuant8AsymmSigned, scale, 3, 1.0F / 128, 0, tangent);
    expect_within_one_step<uint8_t>(OperationCode::kHardSwish, kTensorQuant8Asymm, scale, 120, scale, 30, hard_swish);
    expect_within_one_step<int8_t>(OperationCode::kHardSwish, kTensorQuant8AsymmSigned, scale, 3, scale * 0.7F, -40, hard_swish);
  }
}

TEST(HardSwish, FollowsTheDefinitionInFloat) {
  EXPECT_THAT(run_operation<float>(OperationCode::kHardSwish, {floats({5}, {-4, -3, 0, 1, 5})}, kTensorFloat32).values,
              ElementsAre(0, 0, 0, 4.0F / 6.0F, 5));
}

TEST(HardSwish, RefusesAnOutputScaleFarBelowTheInputScale) {
  EXPECT_FALSE(
      run_operation<uint8_t>(OperationCode::kHardSwish, {quant8({1}, {1}, 128.0F, 0)}, kTensorQuant8Asymm, 1.0F, 0).status);
}

TEST(Logistic, FollowsTheDefinitionInFloat) {
  const auto r = run_operation<float>(OperationCode::kLogistic, {floats({3}, {0, -200, 200})}, kTensorFloat32).values;
  EXPECT_THAT(r, ElementsAre(0.5F, 0.0F, 1.0F));
}

}  // namespace
}  // namespace nnvk::cpu
