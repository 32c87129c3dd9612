// Second half of L2_NORMALIZATION and INSTANCE_NORMALIZATION: computes every element from itself and the statistics of its slice.
// Four consecutive elements per invocation.
#version 450
#include "normalization_params.h"
#include "quantize.glsl"
#include "slices.glsl"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;
#ifdef NNVK_INTEGER
layout(constant_id = 1) const bool LAST_AXIS = false;  // signed values are rounded differently there
#endif

NNVK_PARAMS(NormalizationParams)
#ifdef NNVK_INTEGER
NNVK_INT4_INPUT(0, in_x, TYPE)
#else
NNVK_FLOAT4_INPUT(0, in_x, TYPE)
#endif
NNVK_TABLE(1, statistics)
NNVK_OUTPUT(2, out_y)

uvec2 statistics_of(uint element) {
  return statistics2(slice_of_element(element, params.size, params.inner, params.slices));
}

#ifdef NNVK_INTEGER
int normalise(int x, uvec2 s) {
  const int difference = x - params.zero_point;
  const int mantissa = int(s.x);
  const int shift = int(s.y);
  if (TYPE == kElementInt8 && LAST_AXIS) return clamp(scale_fixed_point(difference, mantissa, 7 - shift), -128, 127);
  const int value = rounding_shift_right(multiply_high(128 * difference, mantissa), shift);
  return TYPE == kElementInt8 ? clamp(value, -128, 127) : clamp(value + 128, 0, 255);
}
#endif

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.quads) return;
  uvec2 s[4];
  for (uint lane = 0; lane < 4; ++lane) s[lane] = statistics_of(4 * i + lane);
#ifdef NNVK_INTEGER
  const ivec4 x = in_x(i);
  out_y_int4(TYPE, i, ivec4(normalise(x.x, s[0]), normalise(x.y, s[1]), normalise(x.z, s[2]), normalise(x.w, s[3])));
#else
  const vec4 mean = uintBitsToFloat(uvec4(s[0].x, s[1].x, s[2].x, s[3].x));
  const vec4 divisor = uintBitsToFloat(uvec4(s[0].y, s[1].y, s[2].y, s[3].y));
  precise const vec4 y = (in_x(i) - mean) * params.gamma / divisor + params.beta;
  out_y_float4(TYPE, i, y);
#endif
}
