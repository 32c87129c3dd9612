// First half of L2_NORMALIZATION and INSTANCE_NORMALIZATION: the shift and divisor of every slice. LANES invocations per slice.
// Floats: (mean, divisor). 8-bit L2_NORMALIZATION: (mantissa, right shift) of the fixed-point 1 / norm. Between the dispatches of
// long slices: (sum or mean, sum of squares), or the two words of the sum of squares.
#version 450
#include "normalization_params.h"
#include "quantize.glsl"
#include "slices.glsl"
#define NNVK_LANES_ID 1
#include "slice_lanes.glsl"
#include "tensor.glsl"

layout(constant_id = 0) const uint TYPE = 0;
#ifndef NNVK_INTEGER
layout(constant_id = 2) const uint OPERATION = 0;
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

// Does the same as inverse_square_root() of core/base/inverse_square_root.h, for a sum of two words (low, high).
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

// Adds two sums of two words each.
uvec2 add(uvec2 a, uvec2 b) {
  uint carry;
  const uint low = uaddCarry(a.x, b.x, carry);
  return uvec2(low, a.y + b.y + carry);
}
#ifdef NNVK_SUBGROUPS
uvec2 subgroup_add(uvec2 sum) {
  const uvec3 parts = subgroupAdd(uvec3(sum.x & 0xFFFFu, sum.x >> 16, sum.y));
  return add(uvec2(parts.x, 0), uvec2(parts.y << 16, parts.z + (parts.y >> 16)));
}
#endif
NNVK_LANES(sum_of_lanes, uvec2, add, subgroup_add)

void main() {
  const bool exists = nnvk_fold() < params.slices;
  if (LANES == 1 && !exists) return;
  const uint slice = min(nnvk_fold(), params.slices - 1);  // lanes past the end repeat the last slice, for the barriers
  const uint first = first_of_slice(slice, params.size, params.inner);
  uvec2 sum = uvec2(0);
  if ((params.steps & kStepStart) == 0 && nnvk_lane() == 0) sum = out_statistics2(slice);
  for (uint i = params.begin + nnvk_lane(); i < params.end; i += LANES) {
    const int difference = in_x(first + i * params.inner) - params.zero_point;
    sum = add(sum, uvec2(difference * difference, 0));
  }
  if (LANES > 1) sum = sum_of_lanes(sum);
  if (nnvk_lane() != 0 || !exists) return;
  out_statistics_words2(slice, (params.steps & kStepFinish) != 0 ? uvec2(inverse_square_root(sum)) : sum);
}
#else
// Returns the number by which a slice's elements are divided.
float divisor_of(float squares, float count) {
  if (OPERATION == kNormalizationInstance) {
    const float variance = squares / count + params.epsilon;
    return variance < 0.0 ? uintBitsToFloat(0x7FC00000u) : sqrt(variance);  // epsilon may be negative
  }
  const float norm = sqrt(squares);
  return norm < 1e-6 ? 1e-6 : norm;
}

float add(float a, float b) { return a + b; }
NNVK_LANES(sum_of_lanes, float, add, subgroupAdd)
NNVK_LANES(squares_of_lanes, float, add, subgroupAdd)

void main() {
  const bool exists = nnvk_fold() < params.slices;
  if (LANES == 1 && !exists) return;
  const uint slice = min(nnvk_fold(), params.slices - 1);  // lanes past the end repeat the last slice, for the barriers
  const uint first = first_of_slice(slice, params.size, params.inner);
  const float count = float(params.size);
  const vec2 state = (params.steps & kStepStart) != 0 ? vec2(0.0) : uintBitsToFloat(out_statistics2(slice));
  float mean = state.x;
  float squares = nnvk_lane() == 0 ? state.y : 0.0;
  if ((params.steps & kStepFoldFirst) != 0) {
    if (nnvk_lane() != 0) mean = 0.0;
    for (uint i = params.begin + nnvk_lane(); i < params.end; i += LANES) mean += in_x(first + i * params.inner);
    if (LANES > 1) mean = sum_of_lanes(mean);
    if (params.end == params.size) mean /= count;
  }
  if ((params.steps & kStepFoldSecond) != 0) {
    for (uint i = params.begin + nnvk_lane(); i < params.end; i += LANES) {
      const float deviation = in_x(first + i * params.inner) - mean;
      squares += deviation * deviation;
    }
    if (LANES > 1) squares = squares_of_lanes(squares);
  }
  if (nnvk_lane() != 0 || !exists) return;
  if ((params.steps & kStepFinish) != 0) squares = divisor_of(squares, count);
  out_statistics_words2(slice, floatBitsToUint(vec2(mean, squares)));
}
#endif
