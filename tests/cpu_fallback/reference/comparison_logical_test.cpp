// Comparisons and logical operations, with results worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/cpu_fallback/reference/device_runner.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using enum OperandType;
using testing::ElementsAre;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<uint8_t> compare(OperationCode code, const Operand& a, const Operand& b) {
  const auto r = run_operation<uint8_t>(code, {a, b}, kTensorBool8);
  EXPECT_TRUE(r.status) << r.status.error().message;
  return r.values;
}

TEST(Comparison, DecidesBelowEqualAndAbove) {
  const Operand a = ints({3}, {1, 2, 3});
  const Operand b = ints({1}, {2});
  EXPECT_THAT(compare(OperationCode::kEqual, a, b), ElementsAre(0, 1, 0));
  EXPECT_THAT(compare(OperationCode::kNotEqual, a, b), ElementsAre(1, 0, 1));
  EXPECT_THAT(compare(OperationCode::kGreater, a, b), ElementsAre(0, 0, 1));
  EXPECT_THAT(compare(OperationCode::kGreaterEqual, a, b), ElementsAre(0, 1, 1));
  EXPECT_THAT(compare(OperationCode::kLess, a, b), ElementsAre(1, 0, 0));
  EXPECT_THAT(compare(OperationCode::kLessEqual, a, b), ElementsAre(1, 1, 0));
}

TEST(Comparison, NanEqualsNothing) {
  const Operand a = floats({2}, {kNan, 0.0F});
  const Operand b = floats({2}, {kNan, -0.0F});
  EXPECT_THAT(compare(OperationCode::kEqual, a, b), ElementsAre(0, 1));
  EXPECT_THAT(compare(OperationCode::kNotEqual, a, b), ElementsAre(1, 0));
  for (const OperationCode code : {OperationCode::kGreater, OperationCode::kLess}) {
    EXPECT_THAT(compare(code, a, b), ElementsAre(0, 0));
  }
  for (const OperationCode code : {OperationCode::kGreaterEqual, OperationCode::kLessEqual}) {
    EXPECT_THAT(compare(code, a, b), ElementsAre(0, 1));
  }
}

TEST(Comparison, BytesStandForTheirReals) {
  // 2 and 2; 3 and 4; -1 and -2.
  const Operand a = quant8({3}, {130, 131, 127}, 1.0F, 128);
  const Operand b = quant8({3}, {130, 131, 128}, 2.0F, 129);
  EXPECT_THAT(compare(OperationCode::kEqual, a, b), ElementsAre(1, 0, 0));
  EXPECT_THAT(compare(OperationCode::kLess, a, b), ElementsAre(0, 1, 0));
  EXPECT_THAT(compare(OperationCode::kGreater, a, b), ElementsAre(0, 0, 1));
}

TEST(Comparison, ProductsAreRoundedToFloatBeforeTheyAreCompared) {
  // 3 * 0.1f and 1 * 0.3f differ, but round to the same float.
  EXPECT_THAT(compare(OperationCode::kEqual, signed8({1}, {3}, 0.1F, 0), signed8({1}, {1}, 0.3F, 0)), ElementsAre(1));
}

TEST(Comparison, FarScalesKeepTheirOrder) {
  const Operand tiny = signed8({3}, {-1, 0, 127}, 1e-42F, 0);
  const Operand huge = signed8({3}, {0, 0, 1}, 3e38F, 0);
  EXPECT_THAT(compare(OperationCode::kLess, tiny, huge), ElementsAre(1, 0, 1));
  EXPECT_THAT(compare(OperationCode::kEqual, tiny, huge), ElementsAre(0, 1, 0));
}

TEST(Comparison, BooleansAreUnsignedBytes) {
  const Operand a = tensor<uint8_t>(kTensorBool8, {3}, {1, 200, 0});
  const Operand b = tensor<uint8_t>(kTensorBool8, {3}, {2, 100, 0});
  EXPECT_THAT(compare(OperationCode::kEqual, a, b), ElementsAre(0, 0, 1));
  EXPECT_THAT(compare(OperationCode::kGreater, a, b), ElementsAre(0, 1, 0));
}

TEST(Comparison, Broadcasts) {
  const auto r = run_operation<uint8_t>(OperationCode::kLess, {ints({2, 1}, {1, 2}), ints({3}, {1, 2, 3})}, kTensorBool8);
  EXPECT_EQ(r.shape, Shape({2, 3}));
  EXPECT_THAT(r.values, ElementsAre(0, 1, 1, 0, 0, 1));
}

TEST(Logical, EveryByteButZeroIsTrue) {
  const Operand a = tensor<uint8_t>(kTensorBool8, {4}, {0, 2, 128, 0});
  const Operand b = tensor<uint8_t>(kTensorBool8, {4}, {0, 1, 0, 4});
  EXPECT_THAT(compare(OperationCode::kLogicalAnd, a, b), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(compare(OperationCode::kLogicalOr, a, b), ElementsAre(0, 1, 1, 1));
}

}  // namespace
}  // namespace nnvk::cpu
