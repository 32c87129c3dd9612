// Second half of SOFTMAX and LOG_SOFTMAX: computes every element from itself and its slice's statistics, four per invocation.
#version 450
#include "quantize.glsl"
#include "softmax_params.h"
#include "slices.glsl"
#include "softmax_exponential.glsl"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;
layout(constant_id = 1) const bool ONE_SLICE = false;  // the four elements of an invocation always belong to one slice
#ifndef NNVK_INTEGER
layout(constant_id = 2) const bool LOGARITHM = false;  // LOG_SOFTMAX
#endif

NNVK_PARAMS(SoftmaxParams)
#ifdef NNVK_INTEGER
NNVK_INT4_INPUT(0, in_x, TYPE)
NNVK_INT_INPUT(3, exponentials, kElementInt32)
#else
NNVK_FLOAT4_INPUT(0, in_x, TYPE)
#endif
NNVK_TABLE(1, statistics)
NNVK_OUTPUT(2, out_y)

uint slice_of(uint element) { return slice_of_element(element, params.size, params.inner, params.slices); }

#ifdef NNVK_INTEGER
int normalise(int x, uvec2 s) {
  const int largest = bitfieldExtract(int(s.y), 0, 16);
  const int shift = int(s.y >> 16);
  const int e = exponentials(uint(clamp(largest - x, 0, 255)));
  const int q = shift > 31 ? 0 : rounding_shift_right(multiply_high(int(s.x), e), shift);
  return clamp(q, 0, 255) - (TYPE == kElementInt8 ? 128 : 0);
}
#endif

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.quads) return;
  uvec2 s[4];
  if (ONE_SLICE) {
    s[0] = s[1] = s[2] = s[3] = statistics2(slice_of(4 * i));
  } else {
    for (uint lane = 0; lane < 4; ++lane) s[lane] = statistics2(slice_of(4 * i + lane));
  }
#ifdef NNVK_INTEGER
  const ivec4 x = in_x(i);
  out_y_int4(TYPE, i, ivec4(normalise(x.x, s[0]), normalise(x.y, s[1]), normalise(x.z, s[2]), normalise(x.w, s[3])));
#else
  const vec4 largest = uintBitsToFloat(uvec4(s[0].x, s[1].x, s[2].x, s[3].x));
  const vec4 total = uintBitsToFloat(uvec4(s[0].y, s[1].y, s[2].y, s[3].y));  // the sum's reciprocal or logarithm
  precise const vec4 exponent = (in_x(i) - largest) * params.beta;
  out_y_float4(TYPE, i, LOGARITHM ? exponent - total : softmax_exponential(exponent) * total);
#endif
}
