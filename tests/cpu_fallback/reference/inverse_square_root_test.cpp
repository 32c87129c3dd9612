// The fixed-point inverse square root that L2_NORMALIZATION of bytes uses.
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/inverse_square_root.h"

namespace nnvk::cpu {
namespace {

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

}  // namespace
}  // namespace nnvk::cpu
