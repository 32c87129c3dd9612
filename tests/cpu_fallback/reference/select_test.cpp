// SELECT, MAXIMUM and MINIMUM: choices between two tensors, with results worked out by hand.
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
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Select, TakesTheFirstWhereTheMaskIsNotZero) {
  const Operand mask = tensor<uint8_t>(kTensorBool8, {2, 2}, {0, 1, 255, 0});
  const auto r = run_operation<int32_t>(OperationCode::kSelect, {mask, ints({2, 2}, {1, 2, 3, 4}), ints({2, 2}, {5, 6, 7, 8})},
                                        kTensorInt32);
  EXPECT_THAT(r.values, ElementsAre(5, 2, 3, 8));
}

TEST(Select, RequantizesTheChosenByte) {
  // Output steps of 2: 1 and -1 are half steps beside the zero point 10 and round away from zero as 10.5 and 9.5; 600 saturates.
  const Operand mask = tensor<uint8_t>(kTensorBool8, {4}, {1, 1, 0, 0});
  const auto r = run_operation<uint8_t>(OperationCode::kSelect,
                                        {mask, quant8({4}, {101, 99, 0, 0}, 1.0F, 100), quant8({4}, {0, 0, 200, 0}, 3.0F, 0)},
                                        kTensorQuant8Asymm, 2.0F, 10);
  EXPECT_THAT(r.values, ElementsAre(11, 10, 255, 10));
}

TEST(Select, WantsEqualShapes) {
  const Operand mask = tensor<uint8_t>(kTensorBool8, {1}, {1});
  const auto r = run_operation<int32_t>(OperationCode::kSelect, {mask, ints({2}, {1, 2}), ints({2}, {3, 4})}, kTensorInt32);
  ASSERT_FALSE(r.status);
  EXPECT_EQ(r.status.error().code, Code::kOpFailed);
}

TEST(Extremum, KeepsNanOfTheFirstOperandOnly) {
  const Operand a = floats({3}, {kNan, 1, 2});
  const Operand b = floats({3}, {1, kNan, 3});
  for (const OperationCode code : {OperationCode::kMaximum, OperationCode::kMinimum}) {
    const auto r = run_operation<float>(code, {a, b}, kTensorFloat32);
    EXPECT_TRUE(std::isnan(r.values[0]));
    EXPECT_EQ(r.values[1], 1);
    EXPECT_EQ(r.values[2], code == OperationCode::kMaximum ? 3 : 2);
  }
}

TEST(Extremum, BytesAreComparedInTheOutputsQuantization) {
  // a: 1, -1, 100. b: 0.5, -2, 60. Output steps of 2 without zero point: halves away from zero.
  const Operand a = signed8({3}, {1, -1, 100}, 1.0F, 0);
  const Operand b = signed8({3}, {1, -4, 120}, 0.5F, 0);
  const auto largest = run_operation<int8_t>(OperationCode::kMaximum, {a, b}, kTensorQuant8AsymmSigned, 2.0F, 0);
  EXPECT_THAT(largest.values, ElementsAre(1, -1, 50));
  const auto least = run_operation<int8_t>(OperationCode::kMinimum, {a, b}, kTensorQuant8AsymmSigned, 2.0F, 0);
  EXPECT_THAT(least.values, ElementsAre(0, -1, 30));
}

TEST(Extremum, TakesNoEmptyTensors) {
  const auto r = run_operation<float>(OperationCode::kMaximum, {floats({0}, {}), floats({1}, {1})}, kTensorFloat32);
  ASSERT_FALSE(r.status);
  EXPECT_EQ(r.status.error().code, Code::kBadData);
}

TEST(Pow, FollowsTheCLibrary) {
  const auto r = run_operation<float>(OperationCode::kPow, {floats({5}, {0, 2, -2, -2, 4}), floats({5}, {0, 10, 3, 0.5F, -0.5F})},
                                      kTensorFloat32);
  EXPECT_EQ(r.values[0], 1);
  EXPECT_EQ(r.values[1], 1024);
  EXPECT_EQ(r.values[2], -8);
  EXPECT_TRUE(std::isnan(r.values[3]));
  EXPECT_EQ(r.values[4], 0.5F);
}

}  // namespace
}  // namespace nnvk::cpu
