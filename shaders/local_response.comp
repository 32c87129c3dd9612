// LOCAL_RESPONSE_NORMALIZATION: four consecutive elements per invocation, each with the squares of its neighbours along the axis.
#version 450
#include "exact_math.glsl"
#include "normalization_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;

NNVK_PARAMS(LocalResponseParams)
NNVK_FLOAT_INPUT(0, in_x, TYPE)
NNVK_OUTPUT(1, out_y)

// Sum of squares at most `radius` steps from the element, clipped to the tensor.
float sum_around(uint element) {
  const uint place = element / params.inner % params.size;
  const uint before = min(place, params.radius);
  const uint after = min(params.size - 1 - place, params.radius);
  uint at = element - before * params.inner;
  float sum = 0.0;
  for (uint n = 0; n <= before + after; ++n, at += params.inner) {
    const float x = in_x(at);
    sum += x * x;
  }
  return sum;
}

void main() {
  const uint i = nnvk_invocation();
  if (4 * i >= params.elements) return;
  vec4 x;
  vec4 sum;
  for (uint lane = 0; lane < 4; ++lane) {
    const uint element = min(4 * i + lane, params.elements - 1);
    x[lane] = in_x(element);
    sum[lane] = sum_around(element);
  }
  precise const vec4 base = params.bias + params.alpha * sum;
  out_y_float4(TYPE, i, x * exact_pow(base, vec4(-params.beta)));
}
