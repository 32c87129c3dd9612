// The functions of one tensor, with results worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/cpu_fallback/reference/device_runner.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using enum OperandType;
using testing::ElementsAre;
using testing::FloatEq;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> apply(OperationCode code, const std::vector<float>& values) {
  const auto r = run_operation<float>(code, {floats({static_cast<uint32_t>(values.size())}, values)}, kTensorFloat32);
  EXPECT_TRUE(r.status) << r.status.error().message;
  return r.values;
}

TEST(Abs, ClearsTheSign) {
  EXPECT_THAT(apply(OperationCode::kAbs, {-2.5F, 3, -kInfinity}), ElementsAre(2.5F, 3, kInfinity));
  EXPECT_FALSE(std::signbit(apply(OperationCode::kAbs, {-0.0F})[0]));
  EXPECT_TRUE(std::isnan(apply(OperationCode::kAbs, {-kNan})[0]));
}

TEST(AbsAndNeg, TheLeastIntegerWraps) {
  const auto values = ints({4}, {INT32_MIN, -7, 0, INT32_MAX});
  EXPECT_THAT(run_operation<int32_t>(OperationCode::kAbs, {values}, kTensorInt32).values,
              ElementsAre(INT32_MIN, 7, 0, INT32_MAX));
  EXPECT_THAT(run_operation<int32_t>(OperationCode::kNeg, {values}, kTensorInt32).values,
              ElementsAre(INT32_MIN, 7, 0, -INT32_MAX));
}

TEST(Neg, FlipsTheSign) {
  EXPECT_THAT(apply(OperationCode::kNeg, {-2.5F, 3}), ElementsAre(2.5F, -3));
  EXPECT_TRUE(std::signbit(apply(OperationCode::kNeg, {0.0F})[0]));
}

TEST(Floor, RoundsTowardMinusInfinity) {
  EXPECT_THAT(apply(OperationCode::kFloor, {-1.5F, -0.1F, 0.9F, 2, kInfinity}), ElementsAre(-2, -1, 0, 2, kInfinity));
  EXPECT_TRUE(std::signbit(apply(OperationCode::kFloor, {-0.0F})[0]));
}

TEST(FloatFunctions, FollowTheirDefinitions) {
  EXPECT_THAT(apply(OperationCode::kExp, {0, 1, -kInfinity}), ElementsAre(1, FloatEq(2.7182818F), 0));
  EXPECT_THAT(apply(OperationCode::kSin, {0, 1.57079637F}), ElementsAre(0, FloatEq(1)));
  EXPECT_THAT(apply(OperationCode::kSqrt, {0, 4}), ElementsAre(0, 2));
  EXPECT_THAT(apply(OperationCode::kRsqrt, {4, 0, kInfinity}), ElementsAre(0.5F, kInfinity, 0));
  EXPECT_THAT(apply(OperationCode::kLog, {1, 0, 2.7182818F}), ElementsAre(0, -kInfinity, FloatEq(1)));
}

TEST(FloatFunctions, AreNotANumberOutsideTheirDomain) {
  for (const OperationCode code : {OperationCode::kLog, OperationCode::kSqrt, OperationCode::kRsqrt}) {
    EXPECT_TRUE(std::isnan(apply(code, {-1})[0])) << operation_name(code);
  }
  EXPECT_TRUE(std::isnan(apply(OperationCode::kSin, {kInfinity})[0]));
}

TEST(FloatFunctions, HalvesAreRoundedOnce) {
  // exp(1) = 2.71828 lies between the halves 2.71680 and 2.71875.
  const auto r = run_operation<uint16_t>(OperationCode::kExp, {tensor<uint16_t>(kTensorFloat16, {1}, {0x3C00})}, kTensorFloat16);
  EXPECT_THAT(r.values, ElementsAre(0x4170));
}

TEST(FloatFunctions, TakeNoEmptyTensors) {
  const auto r = run_operation<float>(OperationCode::kExp, {floats({0}, {})}, kTensorFloat32);
  ASSERT_FALSE(r.status);
  EXPECT_EQ(r.status.error().code, Code::kOpFailed);
}

TEST(Rsqrt, BytesRoundHalfAwayFromZeroAndEndAtTheUpperLimit) {
  // Inputs stand for 4, 0 and -2.5; the root of 4 is 0.5, half a step.
  const auto r =
      run_operation<uint8_t>(OperationCode::kRsqrt, {quant8({3}, {26, 10, 0}, 0.25F, 10)}, kTensorQuant8Asymm, 1.0F, 3);
  EXPECT_THAT(r.values, ElementsAre(4, 255, 255));
  const auto s =
      run_operation<int8_t>(OperationCode::kRsqrt, {signed8({2}, {16, -100}, 0.25F, 0)}, kTensorQuant8AsymmSigned, 0.125F, -20);
  EXPECT_THAT(s.values, ElementsAre(-16, 127));
}

TEST(Elu, BendsOnlyTheNegativePart) {
  const auto run = [](float alpha, const std::vector<float>& values) {
    return run_operation<float>(OperationCode::kElu,
                                {floats({static_cast<uint32_t>(values.size())}, values), float_scalar(alpha)}, kTensorFloat32)
        .values;
  };
  EXPECT_THAT(run(1, {2, -1, 0}), ElementsAre(2, FloatEq(-0.63212056F), 0));
  EXPECT_THAT(run(-1, {1, -1}), ElementsAre(FloatEq(-0.71828175F), 0));  // the other way round with a negative slope
  EXPECT_THAT(run(1, {kNan}), ElementsAre(0));                           // as max(0, x) + min(0, y) of the reference
}

TEST(Elu, TakesEmptyTensorsAndHalfSlopes) {
  EXPECT_TRUE(run_operation<float>(OperationCode::kElu, {floats({2, 0}, {}), float_scalar(1)}, kTensorFloat32).status);
  const auto r = run_operation<uint16_t>(
      OperationCode::kElu, {tensor<uint16_t>(kTensorFloat16, {1}, {0xFC00}), tensor<uint16_t>(kFloat16, {}, {0x4000})},
      kTensorFloat16);
  EXPECT_THAT(r.values, ElementsAre(0xC000));  // -infinity with slope 2: -2
}

TEST(LogicalNot, EveryByteButZeroIsTrue) {
  const auto r =
      run_operation<uint8_t>(OperationCode::kLogicalNot, {tensor<uint8_t>(kTensorBool8, {4}, {0, 1, 2, 255})}, kTensorBool8);
  EXPECT_THAT(r.values, ElementsAre(1, 0, 0, 0));
}

}  // namespace
}  // namespace nnvk::cpu
