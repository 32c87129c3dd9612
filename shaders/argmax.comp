// ARGMAX and ARGMIN. An invocation scans the axis for four consecutive results, or LANES invocations share one result. Strict
// comparisons: ties keep the lowest index, and NaN wins only at index 0. INTEGER: raw integers instead of floats. The kernel maps
// all values to integers, of which the largest wins.
#version 450
#include "ordered_float.glsl"
#include "tensor.glsl"
#include "argmax_params.h"
#define NNVK_LANES_ID 2
#include "slice_lanes.glsl"

layout(constant_id = 0) const uint TYPE = 0;
layout(constant_id = 1) const uint OPERATION = 0;

NNVK_PARAMS(ArgmaxParams)
#ifdef INTEGER
NNVK_INT_INPUT(0, in_x, TYPE)
#else
NNVK_FLOAT_INPUT(0, in_x, TYPE)
#endif
NNVK_INOUT(1, out_y)

// The complement reverses the order of integers without overflow.
ivec4 rank_of(ivec4 value) { return OPERATION == kArgmaxSmallest ? ~value : value; }

#ifdef INTEGER
ivec4 fetch(uvec4 i, int rank_of_nan) { return rank_of(ivec4(in_x(i.x), in_x(i.y), in_x(i.z), in_x(i.w))); }
#else
ivec4 fetch(uvec4 i, int rank_of_nan) {
  const vec4 x = vec4(in_x(i.x), in_x(i.y), in_x(i.z), in_x(i.w));
  return mix(rank_of(nnvk_order_of(x)), ivec4(rank_of_nan), nnvk_is_nan(x));
}
#endif

const int kNothing = int(0x80000000u);  // ranks below everything, as NaN does
const int kWinsAlways = 0x7FFFFFFF;     // for NaN at index 0, which nothing beats

void four_results(uint i) {
  if (4 * i >= params.results) return;
  const uvec4 unit = min(4 * i + uvec4(0, 1, 2, 3), uvec4(params.results - 1));
  const uvec4 outer = unit / params.inner;
  const uvec4 first = outer * params.size * params.inner + (unit - outer * params.inner);
  ivec4 winner = params.begin == 0 ? ivec4(0) : clamp(out_y_i4(i), ivec4(0), ivec4(params.size - 1));
  ivec4 best = fetch(first + uvec4(winner) * params.inner, kWinsAlways);
  uvec4 source = first + params.begin * params.inner;
  for (uint k = params.begin; k < params.end; ++k) {
    const ivec4 value = fetch(source, kNothing);
    const bvec4 larger = greaterThan(value, best);
    best = mix(best, value, larger);
    winner = mix(winner, ivec4(k), larger);
    source += params.inner;
  }
  out_y_int4(kElementInt32, i, winner);
}

// Returns the better of two (rank, index): the higher rank, or the lower index of equal ranks.
ivec2 better(ivec2 a, ivec2 b) { return b.x > a.x || (b.x == a.x && b.y < a.y) ? b : a; }
#ifdef NNVK_SUBGROUPS
ivec2 subgroup_better(ivec2 a) {
  const int rank = subgroupMax(a.x);
  return ivec2(rank, subgroupMin(a.x == rank ? a.y : 0x7FFFFFFF));
}
#endif
NNVK_LANES(best_of_lanes, ivec2, better, subgroup_better)

void shared_result(uint fold) {
  const uint result = min(fold, params.results - 1);  // lanes past the end repeat the last result, for the barriers
  const uint outer = result / params.inner;
  const uint first = outer * params.size * params.inner + (result - outer * params.inner);
  // Indices of lanes without elements lose against all others.
  ivec2 best = ivec2(kNothing, 0x7FFFFFFF);
  if (params.begin > 0 && nnvk_lane() == 0) {
    best.y = clamp(out_y_i(result), 0, int(params.size - 1));
    best.x = fetch(uvec4(first + uint(best.y) * params.inner), kWinsAlways).x;
  }
  for (uint k = params.begin + nnvk_lane(); k < params.end; k += LANES) {
    const int rank = fetch(uvec4(first + k * params.inner), k == 0 ? kWinsAlways : kNothing).x;
    best = better(best, ivec2(rank, k));
  }
  best = best_of_lanes(best);
  if (nnvk_lane() == 0 && fold < params.results) out_y_int(result, best.y);
}

void main() {
  if (LANES == 1) {
    four_results(nnvk_fold());
  } else {
    shared_result(nnvk_fold());
  }
}
