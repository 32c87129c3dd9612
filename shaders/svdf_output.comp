// SVDF results: the memory with the new features, weighed by the time filter and summed per unit. Four outputs per invocation.
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

float unit_output(uint i) {
  const uint unit = i % params.units;
  float total = 0.0;
  for (uint r = 0; r < params.rank; ++r) {
    const uint feature = i * params.rank + r;  // [batch, unit, rank] is [batch, filter]
    const uint state = feature * params.memory;
    const uint weight = (unit * params.rank + r) * params.memory;
    float filtered = 0.0;
    for (uint m = 0; m + 1 < params.memory; ++m) filtered += in_state(state + m) * in_filter(weight + m);
    filtered += in_features(feature) * in_filter(weight + params.memory - 1);
    total += filtered;
  }
  return params.has_bias != 0 ? total + in_bias(unit) : total;
}

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.count) return;
  vec4 y;
  for (uint j = 0; j < 4; ++j) y[j] = unit_output(min(4 * i + j, params.elements - 1));
  out_y_float4(TYPE, i, clamp_activation(y, params.lo, params.hi));
}
