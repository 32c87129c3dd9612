// SVDF results: the memory with the new features, weighted by the time filter and summed per unit. Four outputs per invocation;
// long sums need several dispatches.
#version 450
#include "quantize.glsl"
#include "svdf_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;

NNVK_PARAMS(SvdfOutputParams)
NNVK_FLOAT_INPUT(0, in_features, kElementFloat32)
NNVK_FLOAT_INPUT(1, in_state, TYPE)
NNVK_FLOAT_INPUT(2, in_filter, TYPE)
NNVK_FLOAT_INPUT(3, in_bias, TYPE)
NNVK_OUTPUT(4, out_y)
NNVK_INOUT(5, partial)  // four sums per invocation between dispatches

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.count) return;
  const uvec4 element = min(4 * i + uvec4(0, 1, 2, 3), uvec4(params.elements - 1));
  const uvec4 unit = element % params.units;
  // The filters of a unit are consecutive ([batch, unit, rank] is [batch, filter]), and so are their memories.
  const uint entries = params.rank * params.memory;
  uvec4 state = element * entries + params.begin;
  uvec4 weight = unit * entries + params.begin;
  uint r = params.begin / params.memory;
  uint m = params.begin - r * params.memory;
  vec4 total = vec4(0.0);
  if (params.begin > 0) total = partial_f4(i);
  vec4 filtered = vec4(0.0);
  for (uint k = params.begin; k < params.end; ++k) {
    const vec4 w = vec4(in_filter(weight.x), in_filter(weight.y), in_filter(weight.z), in_filter(weight.w));
    ++m;
    if (m < params.memory) {
      filtered += vec4(in_state(state.x), in_state(state.y), in_state(state.z), in_state(state.w)) * w;
    } else {  // the newest entry
      const uvec4 feature = element * params.rank + r;
      filtered += vec4(in_features(feature.x), in_features(feature.y), in_features(feature.z), in_features(feature.w)) * w;
      total += filtered;
      filtered = vec4(0.0);
      m = 0;
      ++r;
    }
    state += 1;
    weight += 1;
  }
  total += filtered;
  if (params.end < entries) {
    partial_words4(i, floatBitsToUint(total));
    return;
  }
  if (params.has_bias != 0) total += vec4(in_bias(unit.x), in_bias(unit.y), in_bias(unit.z), in_bias(unit.w));
  out_y_float4(TYPE, i, clamp_activation(total, params.lo, params.hi));
}
