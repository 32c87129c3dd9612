// ARGMAX: every invocation scans the axis for four consecutive results. Strict comparison: ties keep the lowest index and NaN wins
// only at index 0. INTEGER: raw integers instead of floats.
#version 450
#include "tensor.glsl"
#include "argmax_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;

NNVK_PARAMS(ArgmaxParams)
#ifdef INTEGER
#define VALUES ivec4
NNVK_INT_INPUT(0, in_x, TYPE)
#else
#define VALUES vec4
NNVK_FLOAT_INPUT(0, in_x, TYPE)
#endif
NNVK_OUTPUT(1, out_y)

VALUES fetch(uvec4 i) { return VALUES(in_x(i.x), in_x(i.y), in_x(i.z), in_x(i.w)); }

void main() {
  const uint i = nnvk_invocation();
  if (4 * i >= params.results) return;
  const uvec4 unit = min(4 * i + uvec4(0, 1, 2, 3), uvec4(params.results - 1));
  const uvec4 outer = unit / params.inner;
  uvec4 source = outer * params.size * params.inner + (unit - outer * params.inner);
  VALUES best = fetch(source);
  ivec4 winner = ivec4(0);
  for (uint k = 1; k < params.size; ++k) {
    source += params.inner;
    const VALUES value = fetch(source);
    const bvec4 larger = greaterThan(value, best);
    best = mix(best, value, larger);
    winner = mix(winner, ivec4(k), larger);
  }
  out_y_int4(kElementInt32, i, winner);
}
