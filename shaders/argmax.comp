// ARGMAX and ARGMIN: every invocation scans the axis for four consecutive results. Strict comparison: ties keep the lowest index and
// NaN wins only at index 0. INTEGER: raw integers instead of floats. Everything is compared as integers of which the largest wins.
#version 450
#include "ordered_float.glsl"
#include "tensor.glsl"
#include "argmax_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;
layout(constant_id = 1) const uint OPERATION = 0;

NNVK_PARAMS(ArgmaxParams)
#ifdef INTEGER
NNVK_INT_INPUT(0, in_x, TYPE)
#else
NNVK_FLOAT_INPUT(0, in_x, TYPE)
#endif
NNVK_INOUT(1, out_y)

// The complement of an integer orders the other way round, without overflow.
ivec4 rank_of(ivec4 value) { return OPERATION == kArgmaxSmallest ? ~value : value; }

#ifdef INTEGER
ivec4 fetch(uvec4 i, int rank_of_nan) { return rank_of(ivec4(in_x(i.x), in_x(i.y), in_x(i.z), in_x(i.w))); }
#else
ivec4 fetch(uvec4 i, int rank_of_nan) {
  const vec4 x = vec4(in_x(i.x), in_x(i.y), in_x(i.z), in_x(i.w));
  return mix(rank_of(nnvk_order_of(x)), ivec4(rank_of_nan), nnvk_is_nan(x));
}
#endif

void main() {
  const uint i = nnvk_invocation();
  if (4 * i >= params.results) return;
  const uvec4 unit = min(4 * i + uvec4(0, 1, 2, 3), uvec4(params.results - 1));
  const uvec4 outer = unit / params.inner;
  const uvec4 first = outer * params.size * params.inner + (unit - outer * params.inner);
  ivec4 winner = params.begin == 0 ? ivec4(0) : clamp(out_y_i4(i), ivec4(0), ivec4(params.size - 1));
  // NaN is nowhere a winner but at index 0, where nothing beats it.
  ivec4 best = fetch(first + uvec4(winner) * params.inner, 0x7FFFFFFF);
  uvec4 source = first + params.begin * params.inner;
  for (uint k = params.begin; k < params.end; ++k) {
    const ivec4 value = fetch(source, int(0x80000000u));
    const bvec4 larger = greaterThan(value, best);
    best = mix(best, value, larger);
    winner = mix(winner, ivec4(k), larger);
    source += params.inner;
  }
  out_y_int4(kElementInt32, i, winner);
}
