// MEAN: every invocation adds up the elements of four consecutive results. INTEGER: 8-bit types, whose quotient rounds toward minus
// infinity. QUADS: the innermost dimension is kept and read four elements at a time.
#version 450
#include "tensor.glsl"
#include "reduce_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;

NNVK_PARAMS(ReduceParams)
#if defined(INTEGER) && defined(QUADS)
NNVK_INT4_INPUT(0, in_x, TYPE)
#elif defined(INTEGER)
NNVK_INT_INPUT(0, in_x, TYPE)
#elif defined(QUADS)
NNVK_FLOAT4_INPUT(0, in_x, TYPE)
#else
NNVK_FLOAT_INPUT(0, in_x, TYPE)
#endif
NNVK_OUTPUT(1, out_y)

#ifdef INTEGER
#define VALUES ivec4
#else
#define VALUES vec4
#endif

#ifdef QUADS
#define INDEX uint
VALUES fetch(uint i) { return in_x(i); }
#else
#define INDEX uvec4
VALUES fetch(uvec4 i) { return VALUES(in_x(i.x), in_x(i.y), in_x(i.z), in_x(i.w)); }
#endif

void main() {
  const uint i = nnvk_invocation();
#ifdef QUADS
  if (i >= params.units) return;
  const INDEX unit = i;
#else
  if (4 * i >= params.units) return;
  const INDEX unit = min(4 * i + uvec4(0, 1, 2, 3), uvec4(params.units - 1));
#endif
  const INDEX outer = unit / params.kept_size;
  INDEX row = outer * params.kept_strides[1] + (unit - outer * params.kept_size) * params.kept_strides[0];
  VALUES sum = VALUES(0);
  for (uint o = 0; o < params.sizes[1]; ++o) {
    INDEX source = row;
    for (uint n = 0; n < params.sizes[0]; ++n) {
      sum += fetch(source);
      source += params.strides[0];
    }
    row += params.strides[1];
  }
#ifdef INTEGER
  const ivec4 quotient = sum / params.count;
  const ivec4 rest = sum - quotient * params.count;
  out_y_int4(TYPE, i, quotient - ivec4(lessThan(rest, ivec4(0))));
#else
  out_y_float4(TYPE, i, sum / float(params.count));
#endif
}
