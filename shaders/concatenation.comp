// Copies up to three neighbouring CONCATENATION inputs into the output; raw elements of 1, 2 or 4 bytes. Three forms:
//   (none)   one 32-bit element of every input per invocation.
//   QUADS    four elements of every input, if all rows begin and end at multiples of four elements.
//   MERGE    8- and 16-bit elements at any place: an invocation owns a quad of the output and keeps other inputs' elements.
#version 450
#include "tensor.glsl"
#include "data_movement_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint INPUTS = 1;  // the number of inputs; the other bindings are not read
#if defined(QUADS) || defined(MERGE)
layout(constant_id = 1) const uint TYPE = 0;  // kElementInt8, kElementInt16 or kElementInt32: the width of an element
#endif
#ifdef MERGE
layout(constant_id = 2) const bool KEEPS = true;  // the rows also contain elements of other inputs
#endif

NNVK_PARAMS(ConcatenationParams)
#if defined(QUADS)
#define NNVK_PART(slot, name) NNVK_INT4_INPUT(slot, name, TYPE)
#elif defined(MERGE)
#define NNVK_PART(slot, name) NNVK_INT_INPUT(slot, name, TYPE)
#else
#define NNVK_PART(slot, name) NNVK_INT_INPUT(slot, name, kElementInt32)
#endif
NNVK_PART(0, in_a)
NNVK_PART(1, in_b)
NNVK_PART(2, in_c)
#ifdef MERGE
NNVK_INOUT(3, out_y)
#else
NNVK_OUTPUT(3, out_y)
#endif

#ifdef MERGE

// For the elements of an output quad: their row, and their column after the first input's start.
uvec4 row;
uvec4 column;
bvec4 inside;  // in some row

// is_of() returns which elements of the quad belong to input `part`, place_in() their places in that input (0 for the other
// elements).
bvec4 is_of(uint part) {
  const uvec4 begin = uvec4(params.starts[part] - params.starts[0]);
  return bvec4(uvec4(inside) & uvec4(greaterThanEqual(column, begin)) & uvec4(lessThan(column - begin, uvec4(params.in_rows[part]))));
}
uvec4 place_in(uint part) {
  const uvec4 begin = uvec4(params.starts[part] - params.starts[0]);
  return mix(uvec4(0), row * params.in_rows[part] + column - begin, is_of(part));
}
#define NNVK_TAKE(part, name)                                                             \
  if (INPUTS > part) {                                                                    \
    const uvec4 at = place_in(part);                                                      \
    value = mix(value, ivec4(name(at.x), name(at.y), name(at.z), name(at.w)), is_of(part)); \
  }

void main() {
  if (nnvk_invocation() >= params.units) return;
  const uint i = params.first + nnvk_invocation();
  const uvec4 element = 4 * i + uvec4(0, 1, 2, 3);
  row = element / params.out_row;
  column = element - row * params.out_row - params.starts[0];
  inside = lessThan(row, uvec4(params.rows));
  ivec4 value = ivec4(0);
  if (KEEPS) {
    if (TYPE == kElementInt8) {
      value = nnvk_unpack_int8(out_y(i));
    } else {
      value = nnvk_unpack_int16(out_y2(i));
    }
  }
  NNVK_TAKE(0, in_a)
  NNVK_TAKE(1, in_b)
  NNVK_TAKE(2, in_c)
  out_y_int4(TYPE, i, value);
}

#else

// Returns the output position of unit `i` of input `part`.
uint target_of(uint part, uint i) {
  const uint row = i / params.in_rows[part];
  return row * params.out_row + params.starts[part] + (i - row * params.in_rows[part]);
}
#ifdef QUADS
#define NNVK_COPY(part, name) if (INPUTS > part && i < params.counts[part]) out_y_int4(TYPE, target_of(part, i), name(i));
#else
#define NNVK_COPY(part, name) if (INPUTS > part && i < params.counts[part]) out_y_int(target_of(part, i), name(i));
#endif

void main() {
  const uint i = nnvk_invocation();
  NNVK_COPY(0, in_a)
  NNVK_COPY(1, in_b)
  NNVK_COPY(2, in_c)
}

#endif
