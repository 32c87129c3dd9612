// The building blocks: half precision, and the fixed-point arithmetic that quantized operations are made of.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cpu_fallback/reference/fixed_point.h"
#include "cpu_fallback/reference/half.h"

namespace nnvk::cpu {
namespace {

constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

TEST(Half, EveryHalfSurvivesTheWayToFloatAndBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<Half>(bits);
    const float wide = half_to_float(half);
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(half_to_float(float_to_half(wide))));
    } else {
      ASSERT_EQ(float_to_half(wide), half);
    }
  }
}

TEST(Half, RoundsToNearestWithTiesToEven) {
  EXPECT_EQ(half_to_float(float_to_half(1.0F + 0x1p-11F)), 1.0F);
  EXPECT_EQ(half_to_float(float_to_half(1.0F + 0x3p-11F)), 1.0F + 0x1p-9F);
  EXPECT_EQ(half_to_float(float_to_half(1.0F + 0x1.1p-11F)), 1.0F + 0x1p-10F);
  EXPECT_EQ(half_to_float(float_to_half(-2049.0F)), -2048.0F);
  EXPECT_EQ(float_to_half(0x1p-25F), 0);  // half of the smallest subnormal: to even
  EXPECT_EQ(half_to_float(float_to_half(0x1.8p-25F)), 0x1p-24F);
  EXPECT_EQ(float_to_half(-0.0F), 0x8000);
}

TEST(Half, LargeMagnitudesBecomeInfinity) {
  EXPECT_EQ(half_to_float(float_to_half(65519.0F)), 65504.0F);
  EXPECT_EQ(float_to_half(65520.0F), 0x7C00);
  EXPECT_EQ(float_to_half(-1e30F), 0xFC00);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::infinity()), 0x7C00);
  EXPECT_TRUE(std::isnan(half_to_float(float_to_half(std::numeric_limits<float>::quiet_NaN()))));
}

void expect_multiplier(double real, int32_t mantissa, int exponent) {
  const Multiplier m = decompose(real);
  EXPECT_EQ(m.mantissa, mantissa) << real;
  EXPECT_EQ(m.exponent, exponent) << real;
}

TEST(FixedPoint, DecomposesIntoMantissaAndExponent) {
  expect_multiplier(0.0, 0, 0);
  expect_multiplier(1.0, 1 << 30, 1);
  expect_multiplier(0.5, 1 << 30, 0);
  expect_multiplier(0.75, 1610612736, 0);
  expect_multiplier(6.0, 1610612736, 3);
  expect_multiplier(1.0 - 0x1p-40, 1 << 30, 1);  // rounds up to the next power of two
  expect_multiplier(0x1p-32, 1 << 30, -31);
  expect_multiplier(0x1p-33, 0, 0);
}

TEST(FixedPoint, HighMultiplyRoundsExactTiesTowardPlusInfinity) {
  EXPECT_EQ(high_multiply(1 << 30, 1 << 30), 1 << 29);
  EXPECT_EQ(high_multiply(1 << 15, 1 << 15), 1);     // 2^30 / 2^31 = 0.5
  EXPECT_EQ(high_multiply(-(1 << 15), 1 << 15), 0);  // -0.5
  EXPECT_EQ(high_multiply(-3, 1 << 30), -1);         // -1.5
  EXPECT_EQ(high_multiply(kMin, kMin), kMax);
  EXPECT_EQ(high_multiply(kMin, kMax), -kMax);
}

TEST(FixedPoint, ShiftsRightToNearestWithTiesAwayFromZero) {
  EXPECT_EQ(rounding_shift_right(5, 1), 3);
  EXPECT_EQ(rounding_shift_right(-5, 1), -3);
  EXPECT_EQ(rounding_shift_right(5, 2), 1);
  EXPECT_EQ(rounding_shift_right(-6, 2), -2);
  EXPECT_EQ(rounding_shift_right(7, 0), 7);
  EXPECT_EQ(rounding_shift_right(kMin, 31), -1);
  EXPECT_EQ(rounding_shift_right(1 << 30, 31), 1);
  EXPECT_EQ(rounding_shift_right(kMax, 32), 0);
  EXPECT_EQ(rounding_shift_right(kMax, 1), 1 << 30);
}

TEST(FixedPoint, ScalingRoundsTwice) {
  EXPECT_EQ(scale_by(100, decompose(0.25)), 25);
  EXPECT_EQ(scale_by(-100, decompose(3.0)), -300);
  // 3 * 0.125 = 0.375 would round to 0; the first rounding (to 2 at half the shift) makes it 1.
  EXPECT_EQ(scale_by(3, decompose(0.125)), rounding_shift_right(high_multiply(3, 1 << 30), 2));
  EXPECT_EQ(scale_by(3, decompose(0.125)), 1);
}

TEST(FixedPoint, ShiftLeftWrapsAndNeverOverflows) {
  EXPECT_EQ(shift_left(3, 31), kMin);
  EXPECT_EQ(shift_left(-1, 4), -16);
  EXPECT_EQ(shift_left(1, 40), 0);
  EXPECT_EQ(into_range(kMax, 255, 0, 255), 255);
  EXPECT_EQ(into_range(kMin, -128, -128, 127), -128);
}

TEST(FixedPoint, ExponentialIsCloseToTheRealOne) {
  EXPECT_EQ(exp_of_negative(0, 5), kMax);
  for (const int bits : {4, 5}) {
    for (int64_t a = -1; a > kMin; a = a * 17 / 16 - 1) {
      const double x = std::ldexp(static_cast<double>(a), bits - 31);
      EXPECT_NEAR(exp_of_negative(static_cast<int32_t>(a), bits) * 0x1p-31, std::exp(x), 3e-7) << x;
    }
  }
}

TEST(FixedPoint, LogisticAndTanhAreCloseToTheRealOnes) {
  EXPECT_EQ(logistic_q31(0), 1 << 30);
  EXPECT_EQ(tanh_q31(0), 0);
  for (int64_t a = 1; a < kMax; a = a * 17 / 16 + 1) {
    const double x = std::ldexp(static_cast<double>(a), -27);
    const auto raw = static_cast<int32_t>(a);
    EXPECT_NEAR(logistic_q31(raw) * 0x1p-31, 1.0 / (1.0 + std::exp(-x)), 1e-6) << x;
    EXPECT_NEAR(logistic_q31(-raw) * 0x1p-31, 1.0 / (1.0 + std::exp(x)), 1e-6) << -x;
    EXPECT_NEAR(tanh_q31(raw) * 0x1p-31, std::tanh(x), 1e-6) << x;
    EXPECT_EQ(tanh_q31(-raw), -tanh_q31(raw));
  }
}

}  // namespace
}  // namespace nnvk::cpu
