// The 16-bit fixed-point arithmetic of the quantized LSTMs, the shader twin of core/base/fixed_point_16.h (same function names).
// F(m) is the format of a 16-bit value with m integer bits; F0 is F(0), F2 is F(2). An int holds the values, always in 16-bit
// range.
#ifndef NNVK_SHADERS_FIXED_POINT_16_GLSL
#define NNVK_SHADERS_FIXED_POINT_16_GLSL

#include "quantize.glsl"

int clamp_16(int x) { return clamp(x, -32768, 32767); }

// Clamps the sum of a 16-bit value and `scaled` to 16 bits. `scaled` may be a saturated 32-bit value, so it is limited first.
int add_and_clamp_16(int x, int scaled) { return clamp_16(x + clamp(scaled, -0x40000000, 0x40000000)); }

int multiply_16(int x, int y) {
  if (x == -32768 && y == -32768) return 32767;
  const int product = x * y;
  return (product + (product >= 0 ? 16384 : -16383)) / 32768;
}

// Returns x * 2^n, clamped to 16 bits; x is in 16-bit range, n at most 13.
int shift_left_16(int x, int n) { return clamp_16(x << n); }

// Returns exp(a) in F0 for a <= 0 in F(m); m in 0..7.
int exponential_16(int a, int m) {
  const int step_factors[7] = int[7](25520, 19875, 12055, 4435, 600, 11, 0);  // exp(-1/4), exp(-1/2), ... exp(-16)
  const int quarter = 1 << (13 - m);
  const int in_quarter = (a & (quarter - 1)) - quarter;
  const int x = shift_left_16(in_quarter, m) + 4096;
  const int x2 = multiply_16(x, x);
  const int x3 = multiply_16(x2, x);
  const int x4 = multiply_16(x2, x2);
  const int t = rounding_shift_right(multiply_16(rounding_shift_right(x4, 2) + x3, 10923) + x2, 1);
  int result = clamp_16(28918 + multiply_16(28918, x + t));
  const int remainder = in_quarter - a;
  for (int s = -2; s < min(m, 5); ++s) {
    if (((remainder >> (15 - m + s)) & 1) != 0) result = multiply_16(result, step_factors[s + 2]);
  }
  if (m > 5 && a < -(32 << (15 - m))) result = 0;
  return a == 0 ? 32767 : result;
}

// Returns 2 / (1 + e) in F2 for e in F0, e >= 0.
int two_over_one_plus_16(int e) {
  const int denominator = (e + 32768) / 2;
  int z = 23130 + multiply_16(denominator, -15420);
  for (int s = 0; s < 3; ++s) z += shift_left_16(multiply_16(z, 8192 - multiply_16(denominator, z)), 2);
  return z;
}

// Computes the logistic function: takes a in F(m) and returns F0.
int logistic_16(int a, int m) {
  const int p = shift_left_16(two_over_one_plus_16(exponential_16(-abs(a), m)), 1);
  return a == 0 ? 16384 : (a > 0 ? p : 32767 - p);
}

// Returns tanh in F0 of a in F(m), m in 0..6.
int tanh_16(int a, int m) {
  const int p = shift_left_16(two_over_one_plus_16(exponential_16(-abs(a), m + 1)) - 8192, 2);
  return a == 0 ? 0 : (a > 0 ? p : -p);
}

#endif
