// SELECT: copies each element from one of two tensors, as raw bits. Four consecutive elements per invocation.
#version 450
#include "select_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;  // an integer type of the elements' width

NNVK_PARAMS(SelectParams)
NNVK_INT4_INPUT(0, in_mask, kElementUint8)
NNVK_INT4_INPUT(1, in_x, TYPE)
NNVK_INT4_INPUT(2, in_y, TYPE)
NNVK_OUTPUT(3, out_z)

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.quads) return;
  out_z_int4(TYPE, i, mix(in_y(i), in_x(i), notEqual(in_mask(i), ivec4(0))));
}
