// RESIZE_BILINEAR, four consecutive output elements per invocation. The table holds, for every output row and then for every
// output column: low neighbour, high neighbour, bits of the weight of the high one, nothing. INTEGER: 8-bit types. QUADS:
// channels are a multiple of four.
#version 450
#include "tensor.glsl"
#include "resize_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;

NNVK_PARAMS(ResizeParams)
#if defined(INTEGER) && defined(QUADS)
NNVK_INT4_INPUT(0, in_x, TYPE)
#elif defined(INTEGER)
NNVK_INT_INPUT(0, in_x, TYPE)
#elif defined(QUADS)
NNVK_FLOAT4_INPUT(0, in_x, TYPE)
#else
NNVK_FLOAT_INPUT(0, in_x, TYPE)
#endif
NNVK_UINT4_INPUT(1, positions)
NNVK_OUTPUT(2, out_y)

#ifdef QUADS
#define VALUE vec4
#else
#define VALUE float
#endif

// Computes as the reference does. `precise` forbids contraction to fused multiply-adds, which would change 8-bit results.
VALUE interpolate(uint unit) {
  const uint pixel = unit / params.channels;
  const uint row = pixel / params.out_width;
  const uint batch = row / params.out_height;
  const uvec4 vertical = positions(row - batch * params.out_height);
  const uvec4 horizontal = positions(params.out_height + pixel - row * params.out_width);
  const uint channel = unit - pixel * params.channels;
  const uint top = (batch * params.in_height + vertical.x) * params.in_width;
  const uint bottom = (batch * params.in_height + vertical.y) * params.in_width;
  const uint left = horizontal.x;
  const uint right = horizontal.y;
  const float wy = uintBitsToFloat(vertical.z);
  const float wx = uintBitsToFloat(horizontal.z);
  const precise float uy = 1.0 - wy;
  const precise float ux = 1.0 - wx;
  const VALUE top_left = VALUE(in_x((top + left) * params.channels + channel));
  const VALUE bottom_left = VALUE(in_x((bottom + left) * params.channels + channel));
  const VALUE top_right = VALUE(in_x((top + right) * params.channels + channel));
  const VALUE bottom_right = VALUE(in_x((bottom + right) * params.channels + channel));
  precise VALUE sum = top_left * uy * ux + bottom_left * wy * ux + top_right * uy * wx + bottom_right * wy * wx;
  return sum;
}

void store(uint i, vec4 value) {
#ifdef INTEGER
  const precise vec4 rounded = value + 0.5;
  out_y_int4(TYPE, i, ivec4(floor(rounded)));
#else
  out_y_float4(TYPE, i, value);
#endif
}

void main() {
  const uint i = nnvk_invocation();
#ifdef QUADS
  if (i >= params.units) return;
  store(i, interpolate(i));
#else
  if (4 * i >= params.units) return;
  vec4 value;
  for (int k = 0; k < 4; ++k) value[k] = interpolate(min(4 * i + uint(k), params.units - 1));
  store(i, value);
#endif
}
