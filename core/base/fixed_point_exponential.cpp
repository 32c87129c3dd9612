// EXPN and NR of the specification's numerics.
#include "core/base/fixed_point_exponential.h"

#include <algorithm>

#include "core/base/fixed_point.h"

namespace nnvk {
namespace {

constexpr int32_t kMax32 = std::numeric_limits<int32_t>::max();

}  // namespace

int32_t saturate32(int64_t x) {
  return static_cast<int32_t>(std::clamp<int64_t>(x, std::numeric_limits<int32_t>::min(), kMax32));
}

int32_t exp_of_negative(int32_t a, int integer_bits) {
  if (a == 0) return kMax32;
  constexpr int32_t kStepFactors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  const int fraction_bits = 31 - integer_bits;
  const int32_t quarter = 1 << (fraction_bits - 2);
  const int32_t in_quarter = (a & (quarter - 1)) - quarter;
  const int32_t y = wrapping_add(wrapping_shift_left(in_quarter, integer_bits), 1 << 28);
  const int32_t y2 = multiply_high(y, y);
  const int32_t y3 = multiply_high(y2, y);
  const int32_t y4 = multiply_high(y2, y2);
  const int32_t polynomial = rounding_shift_right(multiply_high(rounding_shift_right(y4, 2) + y3, 715827883) + y2, 1);
  int32_t result = 1895147668 + multiply_high(1895147668, y + polynomial);
  const int32_t remainder = wrapping_subtract(in_quarter, a);
  for (int t = -2; t <= std::min(integer_bits - 1, 4); ++t) {
    if ((remainder >> (fraction_bits + t)) & 1) result = multiply_high(result, kStepFactors[t + 2]);
  }
  return result;
}

// Computes 2 / (1 + a) by three Newton-Raphson steps.
int32_t two_over_one_plus(int32_t a) {
  const auto half = static_cast<int32_t>((int64_t{a} + kMax32 + 1) / 2);
  int32_t x = 1515870810 + multiply_high(half, -1010580540);
  for (int step = 0; step < 3; ++step) {
    const int32_t correction = (1 << 29) - multiply_high(half, x);
    x = wrapping_add(x, saturate32(int64_t{multiply_high(x, correction)} * 4));
  }
  return x;
}

}  // namespace nnvk
