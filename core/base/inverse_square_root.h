// The fixed-point 1/sqrt of 8-bit L2_NORMALIZATION (INVSQRT of its numerics); normalization_statistics.comp restates it.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "core/base/fixed_point.h"
#include "core/base/fixed_point_exponential.h"

namespace nnvk {

// Returns 1 / sqrt(sum) as mantissa * 2^(exponent - 31), exponent in [-28, 0]; for 0 and 1 with the largest mantissa. Sums beyond
// the 32 bits of the specification follow the same steps.
inline FixedPointMultiplier inverse_square_root(uint64_t sum) {
  if (sum <= 1) return {std::numeric_limits<int32_t>::max(), 0};
  int shift = 11;
  for (; sum >= (uint64_t{1} << 29); ++shift) sum /= 4;
  const int doublings = (std::countl_zero(static_cast<uint32_t>(sum)) - 1) / 2 - 1;
  shift -= doublings;
  const auto scaled = static_cast<int32_t>(sum << (2 * doublings));  // in [2^27, 2^29)
  const auto shift_saturated = [](int32_t x, int n) { return saturate32(int64_t{x} << n); };
  const int32_t half = rounding_shift_right(scaled >> 1, 1);
  int32_t x = 1 << 28;
  for (int step = 0; step < 5; ++step) {
    const int32_t cube = shift_saturated(multiply_high(multiply_high(x, x), x), 6);
    x = shift_saturated(multiply_high(3 << 27, x) - multiply_high(half, cube), 3);
  }
  int32_t mantissa = multiply_high(x, 1518500250);
  if (shift < 0) {
    mantissa = wrapping_shift_left(mantissa, -shift);
    shift = 0;
  }
  return {mantissa, -shift};
}

}  // namespace nnvk
