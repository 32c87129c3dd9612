// RESIZE_NEAREST_NEIGHBOR on raw elements of 1, 2 or 4 bytes, four consecutive output elements per invocation. The table holds
// the input row of every output row, then the input column of every output column. QUADS: channels are a multiple of four.
#version 450
#include "tensor.glsl"
#include "resize_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;  // kElementInt8, kElementInt16 or kElementInt32: the width of an element

NNVK_PARAMS(ResizeParams)
#ifdef QUADS
NNVK_INT4_INPUT(0, in_x, TYPE)
#else
NNVK_INT_INPUT(0, in_x, TYPE)
#endif
NNVK_INT_INPUT(1, positions, kElementInt32)
NNVK_OUTPUT(2, out_y)

uint source_of(uint unit) {
  const uint pixel = unit / params.channels;
  const uint row = pixel / params.out_width;
  const uint batch = row / params.out_height;
  const uint y = uint(positions(row - batch * params.out_height));
  const uint x = uint(positions(params.out_height + pixel - row * params.out_width));
  return ((batch * params.in_height + y) * params.in_width + x) * params.channels + (unit - pixel * params.channels);
}

void main() {
  const uint i = nnvk_invocation();
#ifdef QUADS
  if (i >= params.units) return;
  out_y_int4(TYPE, i, in_x(source_of(i)));
#else
  if (4 * i >= params.units) return;
  ivec4 value;
  for (int k = 0; k < 4; ++k) value[k] = in_x(source_of(min(4 * i + uint(k), params.units - 1)));
  out_y_int4(TYPE, i, value);
#endif
}
