// TRANSPOSE, SLICE, STRIDED_SLICE, PAD, PAD_V2: a strided copy of raw elements of 1, 2 or 4 bytes, four consecutive output
// elements per invocation. QUADS reads four input elements at a time, if the innermost dimension allows it.
#version 450
#include "tensor.glsl"
#include "data_movement_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;  // kElementInt8, kElementInt16 or kElementInt32: the width of an element
layout(constant_id = 1) const uint RANK = 1;
layout(constant_id = 2) const bool PADDED = false;

NNVK_PARAMS(MoveParams)
#ifdef QUADS
NNVK_INT4_INPUT(0, in_x, TYPE)
#else
NNVK_INT_INPUT(0, in_x, TYPE)
#endif
NNVK_OUTPUT(1, out_y)

#ifdef QUADS

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.units) return;
  uint rest = i;
  int source = params.offset;
  bool inside = true;
  for (uint d = 0; d < RANK; ++d) {
    uint coordinate = rest;
    if (d + 1 < RANK) {
      rest = coordinate / params.dims[d];
      coordinate -= rest * params.dims[d];
    }
    source += int(coordinate) * params.strides[d];
    if (PADDED) inside = inside && coordinate - params.begins[d] < params.sizes[d];
  }
  const ivec4 value = in_x(uint(inside ? source : 0));
  out_y_int4(TYPE, i, inside ? value : ivec4(params.fill));
}

#else

void main() {
  const uint i = nnvk_invocation();
  if (4 * i >= params.units) return;
  uvec4 rest = min(4 * i + uvec4(0, 1, 2, 3), uvec4(params.units - 1));
  ivec4 source = ivec4(params.offset);
  bvec4 inside = bvec4(true);
  for (uint d = 0; d < RANK; ++d) {
    uvec4 coordinate = rest;
    if (d + 1 < RANK) {
      rest = coordinate / params.dims[d];
      coordinate -= rest * params.dims[d];
    }
    source += ivec4(coordinate) * params.strides[d];
    if (PADDED) {
      const bvec4 within = lessThan(coordinate - params.begins[d], uvec4(params.sizes[d]));
      inside = bvec4(inside.x && within.x, inside.y && within.y, inside.z && within.z, inside.w && within.w);
    }
  }
  const uvec4 index = uvec4(mix(ivec4(0), source, inside));
  const ivec4 value = ivec4(in_x(index.x), in_x(index.y), in_x(index.z), in_x(index.w));
  out_y_int4(TYPE, i, mix(ivec4(params.fill), value, inside));
}

#endif
