// First half of SOFTMAX and LOG_SOFTMAX: the largest element and the sum of exponentials of each slice. LANES invocations per
// slice. Floats: (largest, 1 / sum), with LOGARITHM (largest, log(sum)). Integers: (reciprocal of the sum, shift << 16 | largest
// & 0xFFFF), see softmax.comp. Between the dispatches of long slices: (largest, sum).
#version 450
#include "exact_math.glsl"
#include "quantize.glsl"
#include "softmax_params.h"
#include "slices.glsl"
#define NNVK_LANES_ID 2
#include "slice_lanes.glsl"
#include "softmax_exponential.glsl"
#include "tensor.glsl"

layout(constant_id = 0) const uint TYPE = 0;
layout(constant_id = 1) const bool LAST_AXIS = true;  // inner == 1: slices are contiguous and read four elements at a time

NNVK_PARAMS(SoftmaxParams)
#ifdef NNVK_INTEGER
#define VALUE int
#define VALUE4 ivec4
#define SUM uint
const int LEAST = -32768;
NNVK_INT4_INPUT(0, in_x, TYPE)
NNVK_INOUT(1, out_statistics)
NNVK_INT_INPUT(2, exponentials, kElementInt32)
#else
#define VALUE float
#define VALUE4 vec4
#define SUM float
layout(constant_id = 3) const bool LOGARITHM = false;  // LOG_SOFTMAX, whose beta may be negative
const float LEAST = -3.4028234663852886e38;
NNVK_FLOAT4_INPUT(0, in_x, TYPE)
NNVK_INOUT(1, out_statistics)
#endif

// Whether each element of quad `quad` lies in [first, end).
bvec4 inside(uint quad, uint first, uint end) {
  const uvec4 index = 4 * quad + uvec4(0, 1, 2, 3);
  return bvec4(uvec4(greaterThanEqual(index, uvec4(first))) & uvec4(lessThan(index, uvec4(end))));
}

#ifdef NNVK_INTEGER
// Returns the summand of one element: RSH(E, 12).
uint share(int x, int largest) { return uint(rounding_shift_right(exponentials(uint(clamp(largest - x, 0, 255))), 12)); }
// Adds with saturation: a slice of more than 8191 equal elements would overflow, and all its quotients are 0 anyway.
uint add(uint sum, uint term) { return sum + min(term, ~sum); }
#ifdef NNVK_SUBGROUPS
uint subgroup_add(uint sum) {
  const uvec2 halves = subgroupAdd(uvec2(sum & 0xFFFFu, sum >> 16));
  const uint high = halves.y + (halves.x >> 16);
  return high > 0xFFFFu ? 0xFFFFFFFFu : (high << 16) | (halves.x & 0xFFFFu);
}
#endif
uint share_of(VALUE4 x, int largest, bvec4 valid, uint sum) {
  for (uint lane = 0; lane < 4; ++lane) sum = add(sum, valid[lane] ? share(x[lane], largest) : 0u);
  return sum;
}

// Returns NR of the specification, 2 / (1 + a) in Q2.29 where 1 + a = denominator / 2^31 lies in [1, 2), doubled with saturation.
int reciprocal_of(uint denominator) {
  const int half_sum = int(denominator >> 1);
  int x = 1515870810 + multiply_high(half_sum, -1010580540);
  for (int step = 0; step < 3; ++step) {
    x += multiply_high(x, (1 << 29) - multiply_high(half_sum, x)) * 4;
  }
  return x >= (1 << 30) ? 0x7FFFFFFF : 2 * x;
}
#else
vec4 exponential(vec4 x) { return LOGARITHM ? exact_exp(x) : softmax_exponential(x); }
float share(float x, float largest) { return exponential(vec4((x - largest) * params.beta)).x; }
float add(float sum, float term) { return sum + term; }
#ifdef NNVK_SUBGROUPS
float subgroup_add(float sum) { return subgroupAdd(sum); }
#endif
float share_of(VALUE4 x, float largest, bvec4 valid, float sum) {
  const vec4 e = mix(vec4(0.0), exponential((x - largest) * params.beta), valid);
  return sum + (e.x + e.y) + (e.z + e.w);
}
#endif

#ifdef NNVK_INTEGER
uvec2 state_of(int largest, uint sum) { return uvec2(uint(largest), sum); }
uvec2 result_of(int largest, uint sum) {
  const int zeros = 31 - findMSB(sum);  // the largest element alone contributes 2^19: sum is never 0
  return uvec2(reciprocal_of(sum << zeros), uint(35 - zeros) << 16 | uint(largest & 0xFFFF));
}
#else
uvec2 state_of(float largest, float sum) { return floatBitsToUint(vec2(largest, sum)); }
uvec2 result_of(float largest, float sum) {
  return floatBitsToUint(vec2(largest, LOGARITHM ? exact_log(vec4(sum)).x : 1.0 / sum));
}
#endif

NNVK_LANES(largest_of_lanes, VALUE, max, subgroupMax)
NNVK_LANES(sum_of_lanes, SUM, add, subgroup_add)

// The largest element that this lane finds in [params.begin, params.end) of a slice.
VALUE largest_of(uint slice, VALUE largest) {
  if (LAST_AXIS) {
    const uint first = slice * params.size + params.begin;
    const uint end = slice * params.size + params.end;
    VALUE4 largest4 = VALUE4(LEAST);
    for (uint quad = first / 4 + nnvk_lane(); quad < (end + 3) / 4; quad += LANES) {
      largest4 = max(largest4, mix(VALUE4(LEAST), in_x(quad), inside(quad, first, end)));
    }
    return max(largest, max(max(largest4.x, largest4.y), max(largest4.z, largest4.w)));
  }
  const uint first = first_of_slice(slice, params.size, params.inner);
  for (uint i = params.begin + nnvk_lane(); i < params.end; i += LANES) {
    largest = max(largest, NNVK_SCALAR_OF(in_x, first + i * params.inner));
  }
  return largest;
}

SUM sum_of(uint slice, VALUE largest, SUM sum) {
  if (LAST_AXIS) {
    const uint first = slice * params.size + params.begin;
    const uint end = slice * params.size + params.end;
    for (uint quad = first / 4 + nnvk_lane(); quad < (end + 3) / 4; quad += LANES) {
      sum = share_of(in_x(quad), largest, inside(quad, first, end), sum);
    }
    return sum;
  }
  const uint first = first_of_slice(slice, params.size, params.inner);
  for (uint i = params.begin + nnvk_lane(); i < params.end; i += LANES) {
    sum = add(sum, share(NNVK_SCALAR_OF(in_x, first + i * params.inner), largest));
  }
  return sum;
}

void main() {
  const bool exists = nnvk_fold() < params.slices;
  if (LANES == 1 && !exists) return;
  const uint slice = min(nnvk_fold(), params.slices - 1);  // lanes past the end repeat the last slice, for the barriers
  VALUE largest = LEAST;
  SUM sum = SUM(0);
  if ((params.steps & kStepStart) == 0) {
    const uvec2 state = out_statistics2(slice);
    const uint sum_bits = nnvk_lane() == 0 ? state.y : 0u;
#ifdef NNVK_INTEGER
    largest = int(state.x);
    sum = sum_bits;
#else
    largest = uintBitsToFloat(state.x);
    sum = uintBitsToFloat(sum_bits);
#endif
  }
  if ((params.steps & kStepFoldFirst) != 0) {
    largest = largest_of(slice, largest);
    if (LANES > 1) largest = largest_of_lanes(largest);
  }
  if ((params.steps & kStepFoldSecond) != 0) {
    sum = sum_of(slice, largest, sum);
    if (LANES > 1) sum = sum_of_lanes(sum);
  }
  if (nnvk_lane() != 0 || !exists) return;
  const bool finish = (params.steps & kStepFinish) != 0;
  out_statistics_words2(slice, finish ? result_of(largest, sum) : state_of(largest, sum));
}
