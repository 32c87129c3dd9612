// A strided copy of raw elements like data_movement.comp's, but with the dimensions in a table: any number of them, padded by a
// constant or by mirroring. Four consecutive output elements per invocation.
#version 450
#include "tensor.glsl"
#include "data_movement_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;  // kElementInt8, kElementInt16 or kElementInt32: the width of an element

NNVK_PARAMS(TableMoveParams)
NNVK_INT_INPUT(0, in_x, TYPE)
NNVK_TABLE(1, in_axes)  // per dimension, innermost first, kMoveTableWords words: see data_movement_params.h
NNVK_OUTPUT(2, out_y)

int element(uint i) {
  uint rest = i;
  int source = params.offset;
  for (uint d = 0; d < params.rank; ++d) {
    const uint entry = d * kMoveTableWords;
    const uint size = in_axes(entry);
    const uint next = rest / size;
    int position = int(rest - next * size) - in_axes_i(entry + 2);
    rest = next;
    const int inside = in_axes_i(entry + 3);
    const int border = in_axes_i(entry + 4);
    if (position < 0 || position >= inside) {
      if (border == kBorderFill) return params.fill;
      const int edge = border == kBorderReflect ? 1 : 0;
      position = position < 0 ? edge - 1 - position : 2 * inside - 1 - edge - position;
    }
    source += position * in_axes_i(entry + 1);
  }
  return in_x(uint(source));
}

void main() {
  const uint i = nnvk_invocation();
  if (4 * i >= params.units) return;
  const uvec4 at = min(4 * i + uvec4(0, 1, 2, 3), uvec4(params.units - 1));
  out_y_int4(TYPE, i, ivec4(element(at.x), element(at.y), element(at.z), element(at.w)));
}
