// MEAN and the REDUCE_* operations: every invocation folds the elements of four consecutive results in the order of the input.
// INTEGER: 8-bit types (the quotient of MEAN rounds toward minus infinity) and booleans. QUADS: the innermost dimension is kept and
// read four elements at a time.
#version 450
#include "byte_sum.glsl"
#include "reduce_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;
layout(constant_id = 1) const uint OPERATION = 0;
#ifdef INTEGER
layout(constant_id = 2) const bool LARGE = false;  // MEAN over more elements than 32-bit sums hold
#endif

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

#ifdef INTEGER
VALUES start() {
  switch (OPERATION) {
    case kReduceMax: return ivec4(-128);
    case kReduceMin: return ivec4(255);
    case kReduceAll: return ivec4(1);
    default: return ivec4(0);
  }
}

VALUES fold(VALUES value, VALUES x) {
  switch (OPERATION) {
    case kReduceMax: return max(value, x);
    case kReduceMin: return min(value, x);
    case kReduceAll: return value & ivec4(notEqual(x, ivec4(0)));
    case kReduceAny: return value | ivec4(notEqual(x, ivec4(0)));
    default: return value + x;
  }
}

VALUES finish(VALUES value) {
  if (OPERATION != kReduceMean) return value;
  const int count = int(params.count);
  const ivec4 quotient = value / count;
  return quotient - ivec4(lessThan(value - quotient * count, ivec4(0)));
}
#else
// Of the element type. Only strictly larger (smaller) elements replace it, so that NaN is ignored.
float largest() { return TYPE == kElementFloat16 ? 65504.0 : 3.4028234663852886e38; }

VALUES start() {
  switch (OPERATION) {
    case kReduceMax: return vec4(-largest());
    case kReduceMin: return vec4(largest());
    case kReduceProd: return vec4(1.0);
    default: return vec4(0.0);
  }
}

VALUES fold(VALUES value, VALUES x) {
  switch (OPERATION) {
    case kReduceMax: return mix(value, x, greaterThan(x, value));
    case kReduceMin: return mix(value, x, lessThan(x, value));
    case kReduceProd: {  // zero absorbs infinities and NaN
      const uvec4 zero = uvec4(equal(value, vec4(0.0))) | uvec4(equal(x, vec4(0.0)));
      return mix(value * x, vec4(0.0), bvec4(zero));
    }
    default: return value + x;
  }
}

VALUES finish(VALUES value) { return OPERATION == kReduceMean ? value / float(params.count) : value; }
#endif

// The first input element (or quad) of a result.
INDEX source_of(INDEX unit) {
  INDEX source = INDEX(0);
  for (uint d = 0; d < 3; ++d) {
    const INDEX outer = unit / params.kept_sizes[d];
    source += (unit - outer * params.kept_sizes[d]) * params.kept_strides[d];
    unit = outer;
  }
  return source + unit * params.kept_strides[3];
}

void main() {
  const uint i = nnvk_invocation();
#ifdef QUADS
  if (i >= params.units) return;
  const INDEX first = source_of(i);
#else
  if (4 * i >= params.units) return;
  const INDEX first = source_of(min(4 * i + uvec4(0, 1, 2, 3), uvec4(params.units - 1)));
#endif
  VALUES value = start();
#ifdef INTEGER
  ByteSums sums = ByteSums(uvec4(0), uvec4(0), uvec4(0), 0u);
#endif
  INDEX source3 = first;
  for (uint c3 = 0; c3 < params.sizes[3]; ++c3, source3 += params.strides[3]) {
    INDEX source2 = source3;
    for (uint c2 = 0; c2 < params.sizes[2]; ++c2, source2 += params.strides[2]) {
      INDEX source1 = source2;
      for (uint c1 = 0; c1 < params.sizes[1]; ++c1, source1 += params.strides[1]) {
        INDEX source = source1;
        for (uint c0 = 0; c0 < params.sizes[0]; ++c0, source += params.strides[0]) {
#ifdef INTEGER
          if (LARGE) {
            nnvk_add(sums, fetch(source), params.count);
            continue;
          }
#endif
          value = fold(value, fetch(source));
        }
      }
    }
  }
#ifdef INTEGER
  if (LARGE) {
    nnvk_flush(sums, params.count);
    out_y_int4(TYPE, i, nnvk_floor_average(sums));
  } else {
    out_y_int4(TYPE, i, finish(value));
  }
#else
  out_y_float4(TYPE, i, finish(value));
#endif
}
