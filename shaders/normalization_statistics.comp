// First half of L2_NORMALIZATION and INSTANCE_NORMALIZATION: what every slice is shifted and divided by. One invocation per slice.
// Floats: (mean, divisor). 8-bit L2_NORMALIZATION: (mantissa, right shift) of the fixed-point 1 / norm. Between the dispatches of long
// slices: (sum or mean, sum of squares), or the two words of the sum of squares.
#version 450
#include "normalization_params.h"
#include "quantize.glsl"
#include "slices.glsl"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;
#ifndef NNVK_INTEGER
layout(constant_id = 1) const uint OPERATION = 0;
#endif

NNVK_PARAMS(NormalizationParams)
#ifdef NNVK_INTEGER
NNVK_INT_INPUT(0, in_x, TYPE)
#else
NNVK_FLOAT_INPUT(0, in_x, TYPE)
#endif
NNVK_INOUT(1, out_statistics)

#ifdef NNVK_INTEGER
int shift_left_saturated(int x, int n) {
  const int limit = 0x7FFFFFFF >> n;
  return x > limit ? 0x7FFFFFFF : x < -limit - 1 ? int(0x80000000u) : x << n;
}

// inverse_square_root() of core/base/inverse_square_root.h: the same steps for a sum of two words (low, high).
ivec2 inverse_square_root(uvec2 sum) {
  if (sum.y == 0 && sum.x <= 1) return ivec2(0x7FFFFFFF, 0);
  int shift = 11;
  while (sum.y != 0 || sum.x >= (1u << 29)) {
    sum = uvec2((sum.x >> 2) | (sum.y << 30), sum.y >> 2);
    ++shift;
  }
  const int doublings = (31 - findMSB(sum.x) - 1) / 2 - 1;
  shift -= doublings;
  const int scaled = int(sum.x << uint(2 * doublings));
  const int half_value = rounding_shift_right(scaled >> 1, 1);
  int x = 1 << 28;
  for (int step = 0; step < 5; ++step) {
    const int cube = shift_left_saturated(multiply_high(multiply_high(x, x), x), 6);
    x = shift_left_saturated(multiply_high(3 << 27, x) - multiply_high(half_value, cube), 3);
  }
  const int mantissa = multiply_high(x, 1518500250);
  return shift < 0 ? ivec2(mantissa << -shift, 0) : ivec2(mantissa, shift);
}

void main() {
  const uint slice = nnvk_invocation();
  if (slice >= params.slices) return;
  uint at = first_of_slice(slice, params.size, params.inner) + params.begin * params.inner;
  uvec2 sum = (params.steps & kStepStart) != 0 ? uvec2(0) : out_statistics2(slice);
  for (uint i = params.begin; i < params.end; ++i, at += params.inner) {
    const int difference = in_x(at) - params.zero_point;
    uint carry;
    sum.x = uaddCarry(sum.x, uint(difference * difference), carry);
    sum.y += carry;
  }
  out_statistics_words2(slice, (params.steps & kStepFinish) != 0 ? uvec2(inverse_square_root(sum)) : sum);
}
#else
// What elements are divided by.
float divisor_of(float squares, float count) {
  if (OPERATION == kNormalizationInstance) {
    const float variance = squares / count + params.epsilon;
    return variance < 0.0 ? uintBitsToFloat(0x7FC00000u) : sqrt(variance);  // epsilon may be negative
  }
  const float norm = sqrt(squares);
  return norm < 1e-6 ? 1e-6 : norm;
}

void main() {
  const uint slice = nnvk_invocation();
  if (slice >= params.slices) return;
  const uint first = first_of_slice(slice, params.size, params.inner) + params.begin * params.inner;
  const float count = float(params.size);
  const vec2 state = (params.steps & kStepStart) != 0 ? vec2(0.0) : uintBitsToFloat(out_statistics2(slice));
  float mean = state.x;
  float squares = state.y;
  uint at = first;
  if ((params.steps & kStepFoldFirst) != 0) {
    for (uint i = params.begin; i < params.end; ++i, at += params.inner) mean += in_x(at);
    if (params.end == params.size) mean /= count;
  }
  at = first;
  if ((params.steps & kStepFoldSecond) != 0) {
    for (uint i = params.begin; i < params.end; ++i, at += params.inner) {
      const float deviation = in_x(at) - mean;
      squares += deviation * deviation;
    }
  }
  if ((params.steps & kStepFinish) != 0) squares = divisor_of(squares, count);
  out_statistics_words2(slice, floatBitsToUint(vec2(mean, squares)));
}
#endif
