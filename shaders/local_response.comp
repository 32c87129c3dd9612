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

void main() {
  const uint i = nnvk_invocation();
  if (4 * i >= params.elements) return;
  const uvec4 element = min(4 * i + uvec4(0, 1, 2, 3), uvec4(params.elements - 1));
  const uvec4 place = element / params.inner % params.size;
  const uvec4 before = min(place, uvec4(params.radius));
  const uvec4 count = before + min(params.size - 1 - place, uvec4(params.radius)) + 1;
  const uvec4 first = element - before * params.inner;
  // Adds up all four sums at once. Past the end of a window, the loop reads the window's last element and does not count it.
  vec4 sum = vec4(0.0);
  const uint longest = max(max(count.x, count.y), max(count.z, count.w));
  for (uint n = 0; n < longest; ++n) {
    const uvec4 at = first + min(uvec4(n), count - 1) * params.inner;
    const vec4 x = vec4(in_x(at.x), in_x(at.y), in_x(at.z), in_x(at.w));
    sum = mix(sum, sum + x * x, lessThan(uvec4(n), count));
  }
  const vec4 x = vec4(in_x(element.x), in_x(element.y), in_x(element.z), in_x(element.w));
  precise const vec4 base = params.bias + params.alpha * sum;
  out_y_float4(TYPE, i, x * exact_pow(base, vec4(-params.beta)));
}
