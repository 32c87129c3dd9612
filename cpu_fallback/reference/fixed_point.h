// The integer arithmetic of quantized operations, exactly as the operation specification writes it (numerics of ADD: DEC, HI,
// RSH, SCALE; numerics of SOFTMAX and LOGISTIC: EXPN, NR). Every rounding here is part of the contract: do not simplify.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace nnvk::cpu {

// A positive real number as mantissa * 2^(exponent - 31), mantissa in [2^30, 2^31).
struct Multiplier {
  int32_t mantissa = 0;
  int exponent = 0;
};

// DEC: the nearest multiplier to `real`; {0, 0} for 0, for values below 2^-32 and for what is not finite.
inline Multiplier decompose(double real) {
  if (real == 0.0 || !std::isfinite(real)) return {};
  int exponent = 0;
  const double fraction = std::frexp(real, &exponent);
  auto mantissa = static_cast<int64_t>(std::round(fraction * 2147483648.0));
  if (mantissa == (int64_t{1} << 31)) {
    mantissa /= 2;
    ++exponent;
  }
  if (exponent < -31) return {};
  return {static_cast<int32_t>(mantissa), exponent};
}

// HI: the high half of the doubled product, nearest with exact ties toward plus infinity; the one overflowing case saturates.
inline int32_t high_multiply(int32_t a, int32_t b) {
  if (a == std::numeric_limits<int32_t>::min() && b == a) return std::numeric_limits<int32_t>::max();
  const int64_t product = static_cast<int64_t>(a) * b;
  const int64_t nudge = product >= 0 ? (int64_t{1} << 30) : 1 - (int64_t{1} << 30);
  return static_cast<int32_t>((product + nudge) / (int64_t{1} << 31));
}

// RSH: value / 2^shift to nearest, exact ties away from zero. Shifts beyond 31 leave nothing.
inline int32_t rounding_shift_right(int32_t value, int shift) {
  if (shift <= 0) return value;
  if (shift > 31) return 0;
  const int64_t half = int64_t{1} << (shift - 1);
  const int64_t wide = value;
  return static_cast<int32_t>(wide >= 0 ? (wide + half) >> shift : -((-wide + half) >> shift));
}

// value * 2^shift in 32 bits; wraps like the specification's left shift.
inline int32_t shift_left(int32_t value, int shift) {
  return shift > 31 ? 0 : static_cast<int32_t>(static_cast<uint32_t>(value) << shift);
}

// SCALE: value * multiplier with its two separate roundings.
inline int32_t scale_by(int32_t value, Multiplier m) {
  return rounding_shift_right(high_multiply(shift_left(value, std::max(m.exponent, 0)), m.mantissa), std::max(-m.exponent, 0));
}

inline int32_t saturate_int32(int64_t value) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
}

// value + zero_point without overflow, brought into [lo, hi].
inline int32_t into_range(int32_t value, int32_t zero_point, int32_t lo, int32_t hi) {
  return static_cast<int32_t>(std::clamp<int64_t>(static_cast<int64_t>(value) + zero_point, lo, hi));
}

// EXPN: exp(a) in Q0.31 for a <= 0 with `integer_bits` integer bits.
inline int32_t exp_of_negative(int32_t a, int integer_bits) {
  if (a == 0) return std::numeric_limits<int32_t>::max();
  const int fraction_bits = 31 - integer_bits;
  const int32_t quarter = int32_t{1} << (fraction_bits - 2);
  const int32_t m = (a & (quarter - 1)) - quarter;  // a modulo 1/4, in [-1/4, 0)
  const int32_t y = shift_left(m, integer_bits) + (int32_t{1} << 28);
  const int32_t y2 = high_multiply(y, y);
  const int32_t y3 = high_multiply(y2, y);
  const int32_t y4 = high_multiply(y2, y2);
  const int32_t p = rounding_shift_right(high_multiply(rounding_shift_right(y4, 2) + y3, 715827883) + y2, 1);
  int32_t result = 1895147668 + high_multiply(1895147668, y + p);  // exp(-1/8) * (1 + ...)
  // The rest is a sum of powers of two: multiply by exp(-2^t) for each bit that is set.
  constexpr int32_t kExpOfMinusPower[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  const auto rest = static_cast<uint32_t>(m) - static_cast<uint32_t>(a);
  for (int t = -2; t < integer_bits && t <= 4; ++t) {
    if ((rest >> (fraction_bits + t)) & 1U) result = high_multiply(result, kExpOfMinusPower[t + 2]);
  }
  return result;
}

// NR: 2 / (1 + a) in Q2.29 for a in Q0.31, by three Newton-Raphson steps.
inline int32_t two_over_one_plus(int32_t a) {
  const auto half_sum = static_cast<int32_t>((static_cast<int64_t>(a) + std::numeric_limits<int32_t>::max() + 1) / 2);
  int32_t x = 1515870810 + high_multiply(half_sum, -1010580540);
  for (int step = 0; step < 3; ++step) {
    const int32_t error = (int32_t{1} << 29) - high_multiply(half_sum, x);
    x += saturate_int32(static_cast<int64_t>(high_multiply(x, error)) * 4);
  }
  return x;
}

// SIG: the logistic function of a in Q4.27, in Q0.31.
inline int32_t logistic_q31(int32_t a) {
  if (a == 0) return int32_t{1} << 30;
  const int32_t negative = a < 0 ? a : -a;
  const int32_t v = saturate_int32(2 * static_cast<int64_t>(two_over_one_plus(exp_of_negative(negative, 4))));
  return a > 0 ? v : std::numeric_limits<int32_t>::max() - v;
}

// TNH: the hyperbolic tangent of a in Q4.27, in Q0.31.
inline int32_t tanh_q31(int32_t a) {
  if (a == 0) return 0;
  const int32_t negative = a < 0 ? a : -a;
  // Reading the same bits with one more integer bit doubles the argument.
  const int64_t e = two_over_one_plus(exp_of_negative(negative, 5));
  const int32_t v = saturate_int32(4 * (e - (int64_t{1} << 29)));
  return a > 0 ? v : -v;
}

}  // namespace nnvk::cpu
