// Normalisations, LOG_SOFTMAX and L2_POOL_2D, with results worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/inverse_square_root.h"
#include "tests/cpu_fallback/reference/device_runner.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using enum OperandType;
using testing::ElementsAre;
using testing::FloatEq;
using testing::FloatNear;

double value_of(FixedPointMultiplier m) { return std::ldexp(m.mantissa, m.exponent - 31); }

TEST(InverseSquareRoot, IsCloseForSumsOfEverySize) {
  EXPECT_EQ(inverse_square_root(0), (FixedPointMultiplier{INT32_MAX, 0}));
  EXPECT_EQ(inverse_square_root(1), (FixedPointMultiplier{INT32_MAX, 0}));
  for (const uint64_t sum :
       {2ULL, 3ULL, 4ULL, 25ULL, 65025ULL, 0x1FFFFFFFULL, 0x20000000ULL, 0x7FFFFFFFULL, 1ULL << 40, 1ULL << 62}) {
    const double exact = 1.0 / std::sqrt(static_cast<double>(sum));
    EXPECT_NEAR(value_of(inverse_square_root(sum)), exact, exact * 2e-6) << sum;
  }
}

TEST(L2Normalization, DividesByTheNorm) {
  const auto rows = run_operation<float>(OperationCode::kL2Normalization, {floats({2, 2}, {3, 4, 0, 0})}, kTensorFloat32);
  EXPECT_THAT(rows.values, ElementsAre(FloatEq(0.6F), FloatEq(0.8F), 0, 0));
  const auto columns =
      run_operation<float>(OperationCode::kL2Normalization, {floats({2, 2}, {3, 1, 4, 0}), int_scalar(0)}, kTensorFloat32);
  EXPECT_THAT(columns.values, ElementsAre(FloatEq(0.6F), 1, FloatEq(0.8F), 0));
}

TEST(L2Normalization, BytesComeOutInSteps) {
  // (30, 40) / 50 * 128 = 76.8 and 102.4.
  const auto u = run_operation<uint8_t>(OperationCode::kL2Normalization, {quant8({2, 2}, {130, 140, 100, 100}, 0.3F, 100)},
                                        kTensorQuant8Asymm, 1.0F / 128, 128);
  EXPECT_THAT(u.values, ElementsAre(205, 230, 128, 128));
  for (const int32_t axis : {0, -1}) {
    const Shape shape = axis == 0 ? Shape{2, 1} : Shape{1, 2};
    const auto s = run_operation<int8_t>(OperationCode::kL2Normalization, {signed8(shape, {-25, 45}, 0.3F, 5), int_scalar(axis)},
                                         kTensorQuant8AsymmSigned, 1.0F / 128, 0);
    EXPECT_THAT(s.values, ElementsAre(-77, 102));
  }
  const auto wrong =
      run_operation<uint8_t>(OperationCode::kL2Normalization, {quant8({2}, {1, 2}, 0.3F, 0)}, kTensorQuant8Asymm, 0.01F, 128);
  EXPECT_FALSE(wrong.status);
}

TEST(LocalResponseNormalization, LooksAtNeighboursAlongTheAxis) {
  const std::vector<Operand> inputs = {floats({1, 3}, {1, 2, 3}), int_scalar(1), float_scalar(1), float_scalar(1),
                                       float_scalar(0.5F)};
  const auto r = run_operation<float>(OperationCode::kLocalResponseNormalization, inputs, kTensorFloat32);
  EXPECT_THAT(r.values, ElementsAre(FloatEq(1 / std::sqrt(6.0F)), FloatEq(2 / std::sqrt(15.0F)), FloatEq(3 / std::sqrt(14.0F))));
  std::vector<Operand> across = inputs;
  across.push_back(int_scalar(0));
  EXPECT_THAT(run_operation<float>(OperationCode::kLocalResponseNormalization, across, kTensorFloat32).values,
              ElementsAre(FloatEq(1 / std::sqrt(2.0F)), FloatEq(2 / std::sqrt(5.0F)), FloatEq(3 / std::sqrt(10.0F))));
}

TEST(LocalResponseNormalization, AnyRadiusIsClippedAndNegativeOnesFail) {
  const auto run = [](int32_t radius) {
    return run_operation<float>(OperationCode::kLocalResponseNormalization,
                                {floats({1, 2}, {1, 2}), int_scalar(radius), float_scalar(0), float_scalar(1), float_scalar(1)},
                                kTensorFloat32);
  };
  EXPECT_THAT(run(INT32_MAX).values, ElementsAre(FloatEq(0.2F), FloatEq(0.4F)));
  EXPECT_THAT(run(0).values, ElementsAre(1, 0.5F));
  EXPECT_FALSE(run(-1).status);
}

TEST(InstanceNormalization, TreatsEveryChannelByItself) {
  // Channel 0: 0 2 4 6, mean 3, variance 5. Channel 1: all 7.
  const auto run = [](Shape shape, const std::vector<float>& values, bool nchw) {
    return run_operation<float>(
               OperationCode::kInstanceNormalization,
               {floats(std::move(shape), values), float_scalar(2), float_scalar(1), float_scalar(4), bool_scalar(nchw)},
               kTensorFloat32)
        .values;
  };
  EXPECT_THAT(run({1, 2, 2, 2}, {0, 7, 2, 7, 4, 7, 6, 7}, false),
              ElementsAre(-1, 1, FloatNear(1.0F / 3, 1e-6F), 1, FloatNear(5.0F / 3, 1e-6F), 1, 3, 1));
  EXPECT_THAT(run({1, 2, 2, 2}, {0, 2, 4, 6, 7, 7, 7, 7}, true),
              ElementsAre(-1, FloatNear(1.0F / 3, 1e-6F), FloatNear(5.0F / 3, 1e-6F), 3, 1, 1, 1, 1));
  EXPECT_THAT(run({2, 1, 1, 1}, {5, -5}, true), ElementsAre(1, 1));
}

TEST(LogSoftmax, GivesLogarithmsOfShares) {
  const auto even =
      run_operation<float>(OperationCode::kLogSoftmax, {floats({1, 2}, {5, 5}), float_scalar(1), int_scalar(-1)}, kTensorFloat32);
  EXPECT_THAT(even.values, ElementsAre(FloatEq(-0.6931472F), FloatEq(-0.6931472F)));
  const auto steep =
      run_operation<float>(OperationCode::kLogSoftmax, {floats({2, 1}, {1, 0}), float_scalar(2), int_scalar(0)}, kTensorFloat32);
  EXPECT_THAT(steep.values, ElementsAre(FloatEq(-0.126928F), FloatEq(-2.126928F)));
  EXPECT_FALSE(
      run_operation<float>(OperationCode::kLogSoftmax, {floats({2}, {1, 0}), float_scalar(2), int_scalar(1)}, kTensorFloat32)
          .status);
}

TEST(L2Pool, CountsOnlyCellsInsideTheImage) {
  // 2x2 windows, SAME, stride 1: the last column and row see fewer cells.
  const auto r = run_operation<float>(OperationCode::kL2Pool2d,
                                      {floats({1, 2, 2, 1}, {1, 2, 3, 4}), int_scalar(1), int_scalar(1), int_scalar(1),
                                       int_scalar(2), int_scalar(2), int_scalar(0)},
                                      kTensorFloat32);
  EXPECT_THAT(r.values, ElementsAre(FloatEq(std::sqrt(7.5F)), FloatEq(std::sqrt(10.0F)), FloatEq(std::sqrt(12.5F)), 4));
}

}  // namespace
}  // namespace nnvk::cpu
