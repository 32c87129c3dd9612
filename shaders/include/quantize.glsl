// Integer arithmetic of the 8-bit operations, the shader twin of core/base/fixed_point.h (same function names), and the float
// activation clamp. Everything is exact: no float arithmetic decides an integer result.
#ifndef NNVK_SHADERS_QUANTIZE_GLSL
#define NNVK_SHADERS_QUANTIZE_GLSL

// Returns HI of the specification: the high half of 2*a*b, rounded to nearest with ties toward +infinity. decompose_multiplier()
// never returns INT_MIN, so the one case that would overflow cannot occur.
int multiply_high(int a, int b) {
  int high;
  int low;
  imulExtended(a, b, high, low);
  uint carry;
  const uint rounded = uaddCarry(uint(low), 0x40000000u, carry);
  return int((uint(high) + carry) << 1 | (rounded >> 31));
}
ivec4 multiply_high(ivec4 a, ivec4 b) {
  ivec4 high;
  ivec4 low;
  imulExtended(a, b, high, low);
  uvec4 carry;
  const uvec4 rounded = uaddCarry(uvec4(low), uvec4(0x40000000u), carry);
  return ivec4((uvec4(high) + carry) << 1 | (rounded >> 31));
}

// Returns RSH of the specification: x / 2^n to nearest, ties away from zero; n in [0, 31].
int rounding_shift_right(int x, int n) {
  const int mask = int((1u << uint(n)) - 1u);
  const int threshold = (mask >> 1) - (x >> 31);
  return (x >> n) + int((x & mask) > threshold);
}
ivec4 rounding_shift_right(ivec4 x, ivec4 n) {
  const ivec4 mask = ivec4((uvec4(1u) << uvec4(n)) - 1u);
  const ivec4 threshold = (mask >> 1) - (x >> 31);
  return (x >> n) + ivec4(greaterThan(x & mask, threshold));
}
ivec4 rounding_shift_right(ivec4 x, int n) { return rounding_shift_right(x, ivec4(n)); }

// Returns SCALE of the specification: x times a fixed-point multiplier (mantissa, exponent), one for all lanes or one per lane
// (per-channel weights).
int scale_fixed_point(int x, int mantissa, int exponent) {
  return rounding_shift_right(multiply_high(x << max(exponent, 0), mantissa), max(-exponent, 0));
}
ivec4 scale_fixed_point(ivec4 x, int mantissa, int exponent) {
  return rounding_shift_right(multiply_high(x << max(exponent, 0), ivec4(mantissa)), ivec4(max(-exponent, 0)));
}
ivec4 scale_fixed_point(ivec4 x, ivec4 mantissa, ivec4 exponent) {
  return rounding_shift_right(multiply_high(x << max(exponent, ivec4(0)), mantissa), max(-exponent, ivec4(0)));
}

// Converts accumulators to quantized outputs: SCALE, zero point, clamp to the activation limits. It clamps before it adds the
// zero point, so that large values saturate and do not wrap.
ivec4 requantize(ivec4 accumulator, int mantissa, int exponent, int zero_point, int lo, int hi) {
  return clamp(scale_fixed_point(accumulator, mantissa, exponent), ivec4(lo - zero_point), ivec4(hi - zero_point)) + zero_point;
}
ivec4 requantize(ivec4 accumulator, ivec4 mantissa, ivec4 exponent, int zero_point, int lo, int hi) {
  return clamp(scale_fixed_point(accumulator, mantissa, exponent), ivec4(lo - zero_point), ivec4(hi - zero_point)) + zero_point;
}

// Applies the fused activation of float results: min(max(x, lo), hi). NaN passes through, infinities become +-FLT_MAX (lo and hi
// are finite).
float clamp_activation(float x, float lo, float hi) { return x < lo ? lo : (x > hi ? hi : x); }
vec4 clamp_activation(vec4 x, float lo, float hi) {
  x = mix(x, vec4(lo), lessThan(x, vec4(lo)));
  return mix(x, vec4(hi), greaterThan(x, vec4(hi)));
}

#endif
