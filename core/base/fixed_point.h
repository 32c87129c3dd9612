// The fixed-point arithmetic of 8-bit operations, as the numerics of ADD in the specification define and name it: DEC, HI, RSH,
// SCALE. The CPU reference and the kernel emitters use it; shaders/include/quantize.glsl restates it for shaders.
// quantized_unary.h in core/operations/parameters/ builds the 8-bit unary operations on it.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace nnvk {

// A real number >= 0 as mantissa * 2^(exponent - 31); mantissa in [2^30, 2^31) or zero.
struct FixedPointMultiplier {
  int32_t mantissa = 0;
  int32_t exponent = 0;
  bool operator==(const FixedPointMultiplier&) const = default;
};

// DEC (quant_mult) splits `real`, which is finite and >= 0, into mantissa and exponent. Values below 2^-32 become zero.
inline FixedPointMultiplier decompose_multiplier(double real) {
  if (!(real > 0.0) || std::isinf(real)) return {};
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

// Returns HI of the specification: the high half of 2*a*b, rounded to nearest, with ties toward +infinity. The one product that
// overflows saturates.
constexpr int32_t multiply_high(int32_t a, int32_t b) {
  if (a == std::numeric_limits<int32_t>::min() && b == a) return std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>((int64_t{a} * b + (int64_t{1} << 30)) >> 31);
}

// Returns RSH of the specification: x / 2^n, rounded to nearest, with ties away from zero; n in [0, 31].
constexpr int32_t rounding_shift_right(int32_t x, int n) {
  const auto mask = static_cast<int32_t>((uint32_t{1} << n) - 1);
  const int32_t remainder = x & mask;
  const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> n) + (remainder > threshold ? 1 : 0);
}

// Returns x * 2^n with the wrap-around of 32-bit integers; n in [0, 31], larger shifts give 0.
constexpr int32_t wrapping_shift_left(int32_t x, int n) {
  return n > 31 ? 0 : static_cast<int32_t>(static_cast<uint32_t>(x) << n);
}

// SCALE (mul_q) returns x * m with two roundings: RSH(HI(x * 2^max(e,0), M), max(-e,0)), with m = M * 2^(e - 31).
constexpr int32_t scale_fixed_point(int32_t x, FixedPointMultiplier m) {
  const int left = m.exponent > 0 ? m.exponent : 0;
  const int right = m.exponent > 0 ? 0 : -m.exponent;
  return rounding_shift_right(multiply_high(wrapping_shift_left(x, left), m.mantissa), right);
}

// These functions return the sum, difference and product with wrap-around: TENSOR_INT32 arithmetic without undefined overflow.
constexpr int32_t wrapping_add(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
constexpr int32_t wrapping_subtract(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}
constexpr int32_t wrapping_multiply(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}

// Returns a / b of TENSOR_INT32, rounded toward minus infinity. A divisor of 0 gives 0; INT32_MIN / -1 wraps to INT32_MIN.
constexpr int32_t floor_divide(int32_t a, int32_t b) {
  if (b == 0) return 0;
  const int64_t wide = a;
  const int64_t quotient = wide / b;
  return static_cast<int32_t>(wide % b != 0 && (wide < 0) != (b < 0) ? quotient - 1 : quotient);
}

constexpr int32_t negative_magnitude(int32_t a) { return a > 0 ? -a : a; }

constexpr int32_t clamp_int(int32_t x, int32_t lo, int32_t hi) { return x < lo ? lo : (x > hi ? hi : x); }

}  // namespace nnvk
