// Sums and products of doubles with integers, for devices without doubles. They round to nearest even like hardware. Callers
// avoid values that could give NaN, infinity, overflow or denormal results.
#ifndef NNVK_SHADERS_SOFT_DOUBLE_GLSL
#define NNVK_SHADERS_SOFT_DOUBLE_GLSL

#include "uint64.glsl"

// mantissa * 2^exponent; the mantissa is 0 or has 53 bits.
struct SoftDouble {
  bool negative;
  int exponent;
  uvec2 mantissa;
};

// Returns v / 2^n for n < 128; `lost` tells whether any set bits were shifted out.
uvec4 shift_right128(uvec4 v, uint n, out bool lost) {
  lost = false;
  for (; n >= 32u; n -= 32u) {
    lost = lost || v.x != 0u;
    v = uvec4(v.yzw, 0u);
  }
  if (n == 0u) return v;
  lost = lost || (v.x << (32u - n)) != 0u;
  return (v >> n) | (uvec4(v.yzw, 0u) << (32u - n));
}

// Returns the double nearest to v * 2^exponent.
SoftDouble rounded_double(bool negative, uvec4 v, int exponent) {
  int top = v.w != 0u ? 96 + findMSB(v.w) : v.z != 0u ? 64 + findMSB(v.z) : v.y != 0u ? 32 + findMSB(v.y) : findMSB(v.x);
  if (top < 0) return SoftDouble(false, 0, uvec2(0u));
  if (top <= 52) return SoftDouble(negative, exponent - (52 - top), shift_left64(v.xy, uint(52 - top)));
  bool sticky;
  const uvec2 doubled = shift_right128(v, uint(top - 53), sticky).xy;
  uvec2 mantissa = shift_right64(doubled, 1u);
  exponent += top - 52;
  if ((doubled.x & 1u) != 0u && (sticky || (mantissa.x & 1u) != 0u)) mantissa = add64(mantissa, uvec2(1u, 0u));
  if (mantissa.y == 0x200000u) return SoftDouble(negative, exponent + 1, uvec2(0u, 0x100000u));
  return SoftDouble(negative, exponent, mantissa);
}

SoftDouble double_of_int64(uvec2 v) {
  const bool negative = (v.y & 0x80000000u) != 0u;
  return rounded_double(negative, uvec4(negative ? subtract64(uvec2(0u), v) : v, 0u, 0u), 0);
}

// Returns a times the finite float with these bits.
SoftDouble multiply_by_float(SoftDouble a, uint bits) {
  const int exponent = int((bits >> 23) & 0xFFu);
  const uint mantissa = (bits & 0x7FFFFFu) | (exponent != 0 ? 0x800000u : 0u);
  const bool negative = a.negative != ((bits & 0x80000000u) != 0u);
  return rounded_double(negative, multiply64_wide(a.mantissa, uvec2(mantissa, 0u)), a.exponent + max(exponent, 1) - 150);
}

SoftDouble add_doubles(SoftDouble a, SoftDouble b) {
  if (a.mantissa == uvec2(0u)) return b;
  if (b.mantissa == uvec2(0u)) return a;
  // Makes `a` the larger one. Rounding needs 64 bits below its mantissa, and one bit that says whether more bits follow.
  if (a.exponent < b.exponent || (a.exponent == b.exponent && less64(a.mantissa, b.mantissa))) {
    const SoftDouble swapped = a;
    a = b;
    b = swapped;
  }
  bool lost;
  uvec4 small = shift_right128(uvec4(0u, 0u, b.mantissa), uint(min(a.exponent - b.exponent, 127)), lost);
  if (lost) small.x |= 1u;
  uvec2 low;
  uvec2 high;
  if (a.negative == b.negative) {
    low = small.xy;
    high = add64(a.mantissa, small.zw);
  } else {
    low = subtract64(uvec2(0u), small.xy);
    high = subtract64(subtract64(a.mantissa, small.zw), uvec2(small.xy != uvec2(0u) ? 1u : 0u, 0u));
  }
  return rounded_double(a.negative, uvec4(low, high), a.exponent - 64);
}

#endif
