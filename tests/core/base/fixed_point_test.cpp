// Compares the fixed-point functions of the 8-bit operations with the specification's formulas, computed another way.
#include "core/base/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace nnvk {
namespace {

constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

// HI as the specification writes it: trunc((a*b + n) / 2^31).
int32_t literal_multiply_high(int32_t a, int32_t b) {
  const int64_t product = int64_t{a} * b;
  const int64_t n = product >= 0 ? int64_t{1} << 30 : 1 - (int64_t{1} << 30);
  return static_cast<int32_t>((product + n) / (int64_t{1} << 31));
}

TEST(FixedPoint, PowersOfTwoDecomposeExactly) {
  EXPECT_EQ(decompose_multiplier(0.5), (FixedPointMultiplier{1 << 30, 0}));
  EXPECT_EQ(decompose_multiplier(1.0), (FixedPointMultiplier{1 << 30, 1}));
  EXPECT_EQ(decompose_multiplier(0.25), (FixedPointMultiplier{1 << 30, -1}));
  EXPECT_EQ(decompose_multiplier(std::ldexp(1.0, -32)), (FixedPointMultiplier{1 << 30, -31}));
}

TEST(FixedPoint, ZeroTinyAndInfiniteRatiosDecomposeToZero) {
  EXPECT_EQ(decompose_multiplier(0.0), FixedPointMultiplier{});
  EXPECT_EQ(decompose_multiplier(std::ldexp(1.0, -33)), FixedPointMultiplier{});
  EXPECT_EQ(decompose_multiplier(std::numeric_limits<double>::infinity()), FixedPointMultiplier{});
  EXPECT_EQ(decompose_multiplier(std::nan("")), FixedPointMultiplier{});
}

TEST(FixedPoint, AMantissaThatRoundsUpToTwoToThe31MovesTheExponent) {
  EXPECT_EQ(decompose_multiplier(std::nextafter(1.0, 0.0)), (FixedPointMultiplier{1 << 30, 1}));
}

TEST(FixedPoint, DecomposedMultipliersAreWithinHalfAUnitOfTheRatio) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(-30, 30);
  for (int i = 0; i < 2000; ++i) {
    const double ratio = std::exp2(exponent(random));
    const FixedPointMultiplier m = decompose_multiplier(ratio);
    ASSERT_GE(m.mantissa, 1 << 30);
    EXPECT_NEAR(std::ldexp(m.mantissa, m.exponent - 31) / ratio, 1.0, std::ldexp(1.0, -31));
  }
}

TEST(FixedPoint, MultiplyHighEqualsItsDefinition) {
  EXPECT_EQ(multiply_high(kMin, kMin), kMax);
  std::mt19937 random(11);
  for (int i = 0; i < 20000; ++i) {
    const auto a = static_cast<int32_t>(random());
    const auto b = static_cast<int32_t>(random());
    ASSERT_EQ(multiply_high(a, b), literal_multiply_high(a, b)) << a << " * " << b;
  }
  for (const int32_t a : {kMin + 1, -3, -2, -1, 0, 1, 2, 3, kMax}) {
    for (const int32_t b : {kMin, kMin + 1, -(1 << 30), 1 << 30, kMax})
      ASSERT_EQ(multiply_high(a, b), literal_multiply_high(a, b)) << a << " * " << b;
  }
}

TEST(FixedPoint, MultiplyHighRoundsTiesTowardPlusInfinity) {
  EXPECT_EQ(multiply_high(1, 1 << 30), 1);
  EXPECT_EQ(multiply_high(-1, 1 << 30), 0);
  EXPECT_EQ(multiply_high(3, 1 << 30), 2);
  EXPECT_EQ(multiply_high(-3, 1 << 30), -1);
}

TEST(FixedPoint, ShiftsRoundTiesAwayFromZero) {
  EXPECT_EQ(rounding_shift_right(5, 1), 3);
  EXPECT_EQ(rounding_shift_right(-5, 1), -3);
  EXPECT_EQ(rounding_shift_right(6, 2), 2);
  EXPECT_EQ(rounding_shift_right(-6, 2), -2);
  EXPECT_EQ(rounding_shift_right(-5, 2), -1);
  EXPECT_EQ(rounding_shift_right(7, 0), 7);
  EXPECT_EQ(rounding_shift_right(kMin, 31), -1);
  EXPECT_EQ(rounding_shift_right(kMax, 31), 1);
  for (int x = -300; x <= 300; ++x) {
    for (int n = 0; n < 8; ++n) ASSERT_EQ(rounding_shift_right(x, n), std::lround(x / std::exp2(n))) << x << " >> " << n;
  }
}

TEST(FixedPoint, ScalingRoundsTwice) {
  // 1.5 * 0.5 is a tie for HI (1), then 1 / 2 is a tie for RSH (1): one rounding would give round(0.375) = 0.
  EXPECT_EQ(scale_fixed_point(1, {1 << 30, -1}), 1);
  EXPECT_EQ(scale_fixed_point(100, decompose_multiplier(3.0)), 300);
  EXPECT_EQ(scale_fixed_point(-100, decompose_multiplier(3.0)), -300);
  EXPECT_EQ(scale_fixed_point(1000, decompose_multiplier(0.1)), 100);
}

TEST(FixedPoint, LeftShiftsWrap) {
  EXPECT_EQ(wrapping_shift_left(3, 31), kMin);
  EXPECT_EQ(wrapping_shift_left(-1, 4), -16);
  EXPECT_EQ(wrapping_add(kMax, 1), kMin);
  EXPECT_EQ(wrapping_multiply(1 << 30, 6), kMin);
}

}  // namespace
}  // namespace nnvk
