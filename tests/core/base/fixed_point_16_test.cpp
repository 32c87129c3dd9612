// The 16-bit arithmetic of the quantized LSTMs: exact values where the operations' specification defines them (rounding,
// saturation, zero), and closeness to the real functions elsewhere.
#include "core/base/fixed_point_16.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nnvk {
namespace {

double real(int32_t raw, int integer_bits) { return std::ldexp(raw, integer_bits - 15); }

TEST(FixedPoint16, ProductsRoundTiesTowardPlusInfinityAndSaturate) {
  EXPECT_EQ(multiply_16(16384, 1), 1);   // one half
  EXPECT_EQ(multiply_16(-16384, 1), 0);  // minus one half
  EXPECT_EQ(multiply_16(-16385, 1), -1);
  EXPECT_EQ(multiply_16(-32768, -32768), 32767);
}

TEST(FixedPoint16, ShiftsSaturate) {
  EXPECT_EQ(shift_left_16(16383, 1), 32766);
  EXPECT_EQ(shift_left_16(16384, 1), 32767);
  EXPECT_EQ(shift_left_16(-16385, 1), -32768);
}

TEST(FixedPoint16, ZeroHasExactResults) {
  EXPECT_EQ(exponential_16(0, 3), kOne16);
  EXPECT_EQ(logistic_16(0, 3), 16384);
  EXPECT_EQ(tanh_16(0, 3), 0);
}

TEST(FixedPoint16, FunctionsAreCloseToTheRealOnesForEveryArgument) {
  for (const int m : {0, 2, 3, 4, 6}) {
    for (int32_t a = -32768; a < 32768; a += 7) {
      const double x = real(a, m);
      EXPECT_NEAR(real(logistic_16(a, m), 0), 1.0 / (1.0 + std::exp(-x)), 5e-4) << a << " in F" << m;
      EXPECT_NEAR(real(tanh_16(a, m), 0), std::tanh(x), 5e-4) << a << " in F" << m;
      if (a > 0) continue;
      EXPECT_NEAR(real(exponential_16(a, m), 0), std::exp(x), 5e-4) << a << " in F" << m;
    }
  }
}

TEST(FixedPoint16, TanhIsOddAndTheLogisticFunctionIsSymmetric) {
  for (int32_t a = 1; a < 32768; a += 11) {
    EXPECT_EQ(tanh_16(-a, 3), -tanh_16(a, 3));
    EXPECT_EQ(logistic_16(-a, 3), kOne16 - logistic_16(a, 3));
  }
}

TEST(FixedPoint16, ExponentialsBelowMinus32AreZero) {
  EXPECT_EQ(exponential_16(-(32 << 9) - 1, 6), 0);
  EXPECT_EQ(exponential_16(-32768, 7), 0);
}

}  // namespace
}  // namespace nnvk
