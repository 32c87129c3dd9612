// The 16-bit fixed-point arithmetic of the quantized LSTMs, as the numerics of QUANTIZED_16BIT_LSTM and QUANTIZED_LSTM define it.
// F(m) is the format of an int16 value with m integer bits: real = raw / 2^(15 - m). F0 is F(0), F2 is F(2). Functions take and
// return values in int16 range as int32. shaders/include/fixed_point_16.glsl restates the functions under the same names.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/fixed_point.h"

namespace nnvk {

inline constexpr int32_t kOne16 = 32767;  // one in F0

constexpr int32_t clamp_16(int64_t x) { return static_cast<int32_t>(std::clamp<int64_t>(x, -32768, 32767)); }

// Computes mul16 of the specification: F(m) times F(n) gives F(m + n), rounded to nearest with ties toward +infinity; -32768 *
// -32768 saturates.
constexpr int32_t multiply_16(int32_t x, int32_t y) {
  if (x == -32768 && y == -32768) return 32767;
  const int32_t product = x * y;
  return (product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15);
}

// Computes rescale: converts `x` to the format with n fewer integer bits; saturates.
constexpr int32_t shift_left_16(int32_t x, int n) { return clamp_16(int64_t{x} * (int64_t{1} << n)); }

// Computes expneg: takes a <= 0 in F(m), m in 0..7, and returns exp(a) in F0.
inline int32_t exponential_16(int32_t a, int m) {
  if (a == 0) return kOne16;
  constexpr int32_t kStepFactors[] = {25520, 19875, 12055, 4435, 600, 11, 0};  // exp(-1/4), exp(-1/2), ... exp(-16)
  const int32_t quarter = 1 << (13 - m);
  const int32_t in_quarter = (a & (quarter - 1)) - quarter;
  const int32_t x = shift_left_16(in_quarter, m) + 4096;
  const int32_t x2 = multiply_16(x, x);
  const int32_t x3 = multiply_16(x2, x);
  const int32_t x4 = multiply_16(x2, x2);
  const int32_t t = rounding_shift_right(multiply_16(rounding_shift_right(x4, 2) + x3, 10923) + x2, 1);
  int32_t result = clamp_16(28918 + multiply_16(28918, x + t));
  const int32_t remainder = in_quarter - a;
  for (int step = -2; step < std::min(m, 5); ++step) {
    if ((remainder >> (15 - m + step)) & 1) result = multiply_16(result, kStepFactors[step + 2]);
  }
  return m > 5 && a < -(32 << (15 - m)) ? 0 : result;
}

// Computes newton: takes e >= 0 in F0 and returns 2 / (1 + e) in F2.
constexpr int32_t two_over_one_plus_16(int32_t e) {
  const int32_t half = (e + 32768) / 2;
  int32_t z = 23130 + multiply_16(half, -15420);
  for (int step = 0; step < 3; ++step) z += shift_left_16(multiply_16(z, 8192 - multiply_16(half, z)), 2);
  return z;
}

// Computes the logistic function: takes a in F(m) and returns F0.
inline int32_t logistic_16(int32_t a, int m) {
  if (a == 0) return 16384;
  const int32_t p = shift_left_16(two_over_one_plus_16(exponential_16(negative_magnitude(a), m)), 1);
  return a > 0 ? p : kOne16 - p;
}

// Takes a in F(m), m in 0..6; returns tanh(a) in F0. The exponential reads the same bits in F(m + 1), which doubles the argument.
inline int32_t tanh_16(int32_t a, int m) {
  if (a == 0) return 0;
  const int32_t p = shift_left_16(two_over_one_plus_16(exponential_16(negative_magnitude(a), m + 1)) - 8192, 2);
  return a > 0 ? p : -p;
}

}  // namespace nnvk
