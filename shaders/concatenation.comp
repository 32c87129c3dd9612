// Puts one input of a CONCATENATION in its place in the output; raw elements of 1, 2 or 4 bytes. Three forms:
//   (none)   one 32-bit element per invocation
//   QUADS    four elements per invocation, when all rows begin and end at multiples of four elements
//   MERGE    8- and 16-bit elements at any place: an invocation owns a quad of the output and keeps what belongs to other inputs
#version 450
#include "tensor.glsl"
#include "data_movement_params.h"

layout(local_size_x = 64) in;
#if defined(QUADS) || defined(MERGE)
layout(constant_id = 0) const uint TYPE = 0;  // kElementInt8, kElementInt16 or kElementInt32: the width of an element
#endif

NNVK_PARAMS(ConcatenationParams)
#if defined(QUADS)
NNVK_INT4_INPUT(0, in_x, TYPE)
#elif defined(MERGE)
NNVK_INT_INPUT(0, in_x, TYPE)
#else
NNVK_INT_INPUT(0, in_x, kElementInt32)
#endif
#ifdef MERGE
NNVK_INOUT(1, out_y)
#else
NNVK_OUTPUT(1, out_y)
#endif

#ifdef MERGE

void main() {
  if (nnvk_invocation() >= params.units) return;
  const uint i = params.first + nnvk_invocation();
  const uvec4 element = 4 * i + uvec4(0, 1, 2, 3);
  const uvec4 row = element / params.out_row;
  const uvec4 column = element - row * params.out_row - params.start;
  const bvec4 mine = lessThan(mix(column, uvec4(params.in_row), greaterThanEqual(row, uvec4(params.rows))), uvec4(params.in_row));
  const uvec4 index = mix(uvec4(0), row * params.in_row + column, mine);
  const ivec4 value = ivec4(in_x(index.x), in_x(index.y), in_x(index.z), in_x(index.w));
  ivec4 kept;
  if (TYPE == kElementInt8) {
    kept = nnvk_unpack_int8(out_y(i));
  } else {
    kept = nnvk_unpack_int16(out_y2(i));
  }
  out_y_int4(TYPE, i, mix(kept, value, mine));
}

#else

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.units) return;
  const uint row = i / params.in_row;
  const uint target = row * params.out_row + params.start + (i - row * params.in_row);
#ifdef QUADS
  out_y_int4(TYPE, target, in_x(i));
#else
  out_y_int(target, in_x(i));
#endif
}

#endif
