// GATHER, EMBEDDING_LOOKUP and the rows of HASHTABLE_LOOKUP: raw elements of 1, 2 or 4 bytes, four consecutive output elements
// per invocation. For an index outside the table, the kernel sets status word 0 and reads slice 0. QUADS: slices of whole quads.
#version 450
#include "tensor.glsl"
#include "lookup_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;  // kElementInt8, kElementInt16 or kElementInt32: the width of an element
layout(constant_id = 1) const bool ZERO_IF_NEGATIVE = false;  // index -1 means a slice of zeros

NNVK_PARAMS(GatherParams)
#ifdef QUADS
NNVK_INT4_INPUT(0, in_x, TYPE)
#else
NNVK_INT_INPUT(0, in_x, TYPE)
#endif
NNVK_INT_INPUT(1, in_indices, kElementInt32)
NNVK_OUTPUT(2, out_y)
NNVK_OUTPUT(3, out_status)

// The input unit for output unit `unit`; `present` is false for a slice of zeros.
uint source_of(uint unit, out bool present) {
  const uint slice = unit / params.inner;
  const uint outer = slice / params.count;
  const int index = in_indices(slice - outer * params.count);
  const bool inside = uint(index) < params.size;
  present = inside;
  if (!inside && !(ZERO_IF_NEGATIVE && index < 0)) out_status_word(0, 1u);
  return (outer * params.size + (inside ? uint(index) : 0u)) * params.inner + (unit - slice * params.inner);
}

void main() {
  const uint i = nnvk_invocation();
#ifdef QUADS
  if (i >= params.units) return;
  bool present;
  const ivec4 value = in_x(source_of(i, present));
  out_y_int4(TYPE, i, present ? value : ivec4(0));
#else
  if (4 * i >= params.units) return;
  const uvec4 unit = min(4 * i + uvec4(0, 1, 2, 3), uvec4(params.units - 1));
  ivec4 value;
  for (int k = 0; k < 4; ++k) {
    bool present;
    const int element = in_x(source_of(unit[k], present));
    value[k] = present ? element : 0;
  }
  out_y_int4(TYPE, i, value);
#endif
}
