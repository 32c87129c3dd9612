// SVDF state: shifts every memory by one entry, stores the new feature in the last but one, and sets the last to 0.
#version 450
#include "svdf_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;

NNVK_PARAMS(SvdfStateParams)
NNVK_FLOAT_INPUT(0, in_features, kElementFloat32)
NNVK_FLOAT_INPUT(1, in_state, TYPE)
NNVK_OUTPUT(2, out_state)

float entry(uint i) {
  const uint feature = i / params.memory;
  const uint next = i - feature * params.memory + 1;
  if (next >= params.memory) return 0.0;
  return next + 1 == params.memory ? in_features(feature) : in_state(i + 1);
}

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.count) return;
  vec4 v;
  for (uint j = 0; j < 4; ++j) v[j] = entry(min(4 * i + j, params.elements - 1));
  out_state_float4(TYPE, i, v);
}
