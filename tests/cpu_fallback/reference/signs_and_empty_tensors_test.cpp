// Cases that the vectors do not cover: the signs of zeros, and operands without elements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cpu_fallback/reference/device_runner.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using enum OperandType;

Code code_of(OperationCode code, const std::vector<Operand>& inputs) {
  return run_outputs(code, inputs, {output_of(kTensorFloat32)}).code();
}

bool is_negative(OperationCode code, float x) {
  const auto r = run_operation<float>(code, {floats({1}, {x})}, kTensorFloat32);
  return std::signbit(r.values.at(0));
}

TEST(SignOfZero, IsClearedByAbsFlippedByNegAndKeptByFloor) {
  EXPECT_FALSE(is_negative(OperationCode::kAbs, -0.0F));
  EXPECT_TRUE(is_negative(OperationCode::kNeg, 0.0F));
  EXPECT_TRUE(is_negative(OperationCode::kFloor, -0.0F));
}

TEST(EmptyTensors, AreTakenByEluAndByNoOtherFloatFunction) {
  EXPECT_EQ(code_of(OperationCode::kElu, {floats({2, 0}, {}), float_scalar(1)}), Code::kNoError);
  EXPECT_EQ(code_of(OperationCode::kExp, {floats({0}, {})}), Code::kOpFailed);
}

TEST(EmptyTensors, HaveNoExtremumAndNoProduct) {
  EXPECT_EQ(code_of(OperationCode::kMaximum, {floats({0}, {}), floats({1}, {1})}), Code::kBadData);
  EXPECT_NE(
      code_of(OperationCode::kBatchMatmul, {floats({1, 0}, {}), floats({0, 1}, {}), bool_scalar(false), bool_scalar(false)}),
      Code::kNoError);
}

TEST(EmptyTensors, AreNoListOfAxes) {
  EXPECT_NE(code_of(OperationCode::kReduceSum, {floats({2}, {1, 2}), ints({0}, {}), bool_scalar(false)}), Code::kNoError);
}

}  // namespace
}  // namespace nnvk::cpu
