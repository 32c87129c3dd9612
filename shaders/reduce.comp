// MEAN and the REDUCE_* operations. Every invocation folds one chunk of the elements of four consecutive results, in the order of
// the input. Or LANES invocations share a chunk: each takes every LANES-th element of the innermost reduced dimension. INTEGER:
// 8-bit types (the quotient of MEAN rounds toward minus infinity), booleans and partial sums. QUADS: the innermost dimension is
// kept and read four elements at a time.
#version 450
#include "biased_sums.glsl"
#include "reduce_params.h"
#include "tensor.glsl"
#define NNVK_LANES_ID 3
#include "slice_lanes.glsl"

layout(constant_id = 0) const uint TYPE = 0;
layout(constant_id = 1) const uint OUT_TYPE = 0;  // differs from TYPE for partial results
layout(constant_id = 2) const uint OPERATION = 0;

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
    case kReduceBiasedSum: return value + x + 128;
    default: return value + x;
  }
}

// Combines the results of two lanes.
VALUES combine(VALUES a, VALUES b) { return OPERATION == kReduceBiasedSum ? a + b : fold(a, b); }
#ifdef NNVK_SUBGROUPS
VALUES subgroup_combine(VALUES value) {
  switch (OPERATION) {
    case kReduceMax: return subgroupMax(value);
    case kReduceMin: return subgroupMin(value);
    case kReduceAll: return subgroupAnd(value);
    case kReduceAny: return subgroupOr(value);
    default: return subgroupAdd(value);
  }
}
#endif

VALUES finish(VALUES value) {
  if (OPERATION != kReduceMean) return value;
  const int count = int(params.divisor);
  const ivec4 whole = value / count;
  return whole - ivec4(lessThan(value - whole * count, ivec4(0)));
}
#else
// Returns the largest number of the element type. Only strictly larger (smaller) elements replace it, so that NaN is ignored.
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
    case kReduceProd: {  // 0 times infinity or NaN is 0 here
      const uvec4 zero = uvec4(equal(value, vec4(0.0))) | uvec4(equal(x, vec4(0.0)));
      return mix(value * x, vec4(0.0), bvec4(zero));
    }
    default: return value + x;
  }
}

VALUES combine(VALUES a, VALUES b) { return fold(a, b); }
#ifdef NNVK_SUBGROUPS
VALUES subgroup_combine(VALUES value) {
  switch (OPERATION) {
    case kReduceMax: return subgroupMax(value);
    case kReduceMin: return subgroupMin(value);
    case kReduceProd: {
      const uvec4 zero = subgroupOr(uvec4(equal(value, vec4(0.0))));
      return mix(subgroupMul(value), vec4(0.0), bvec4(zero));
    }
    default: return subgroupAdd(value);
  }
}
#endif

VALUES finish(VALUES value) { return OPERATION == kReduceMean ? value / float(params.divisor) : value; }
#endif

// Returns the first input element (or quad) of a result.
INDEX source_of(INDEX unit) {
  INDEX source = INDEX(0);
  for (uint d = 0; d < 3; ++d) {
    const INDEX outer = unit / params.kept_sizes[d];
    source += (unit - outer * params.kept_sizes[d]) * params.kept_strides[d];
    unit = outer;
  }
  return source + unit * params.kept_strides[3];
}

NNVK_LANES(value_of_lanes, VALUES, combine, subgroup_combine)

void main() {
  const bool exists = nnvk_fold() < params.units;
  if (LANES == 1 && !exists) return;
  const uint i = min(nnvk_fold(), params.units - 1);  // lanes past the end repeat the last fold, for the barriers
  const uint chunk = i / params.quads;
  const uint quad = i - chunk * params.quads;
#ifdef QUADS
  INDEX row = source_of(quad);
#else
  INDEX row = source_of(min(4 * quad + uvec4(0, 1, 2, 3), uvec4(params.results - 1)));
#endif
  // Coordinates of the chunk's first element among the reduced dimensions.
  const uint begin = chunk * params.chunk;
  uint left = min(params.chunk, params.count - begin);
  uint c1 = begin / params.sizes[0];
  uint skipped = begin - c1 * params.sizes[0];
  uint c2 = c1 / params.sizes[1];
  c1 -= c2 * params.sizes[1];
  const uint c3 = c2 / params.sizes[2];
  c2 -= c3 * params.sizes[2];
  row += c1 * params.strides[1] + c2 * params.strides[2] + c3 * params.strides[3];
  VALUES value = start();
#ifdef INTEGER
  BiasedSums sums = nnvk_no_sums();
#endif
  while (left > 0) {
    const uint length = min(left, params.sizes[0] - skipped);
    INDEX source = row + (skipped + nnvk_lane()) * params.strides[0];
    for (uint n = nnvk_lane(); n < length; n += LANES) {
#ifdef INTEGER
      if (OPERATION == kReduceMeanOfBiasedSums) {
        nnvk_add_part(sums, uvec4(fetch(source)), uvec4(params.divisor));
      } else {
        value = fold(value, fetch(source));
      }
#else
      value = fold(value, fetch(source));
#endif
      source += LANES * params.strides[0];
    }
    left -= length;
    skipped = 0;
    row += params.strides[1];
    if (++c1 < params.sizes[1]) continue;
    c1 = 0;
    row += params.strides[2] - params.sizes[1] * params.strides[1];
    if (++c2 < params.sizes[2]) continue;
    c2 = 0;
    row += params.strides[3] - params.sizes[2] * params.strides[2];
  }
  if (LANES > 1) value = value_of_lanes(value);
  if (nnvk_lane() != 0 || !exists) return;
#ifdef INTEGER
  if (OPERATION == kReduceMeanOfBiasedSums) value = nnvk_floor_average(sums);
  out_y_int4(OUT_TYPE, i, finish(value));
#else
  out_y_float4(OUT_TYPE, i, finish(value));
#endif
}
