// Element-wise operations of two tensors that broadcast against each other, four consecutive output elements per invocation.
// INTEGER: TENSOR_INT32 and the 8-bit types instead of floats. GENERAL: the kernel reads every element singly, for operands whose
// innermost dimension is broadcast or not a multiple of four. Other kernels read operands four elements at a time.
#version 450
#include "tensor.glsl"
#include "exact_math.glsl"
#include "quantize.glsl"
#include "ordered_float.glsl"
#include "elementwise_binary_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;
layout(constant_id = 1) const uint OPERATION = 0;
layout(constant_id = 2) const uint RANK = 0;  // 0: both operands have the output's layout
#ifndef GENERAL
layout(constant_id = 3) const bool A_SPLAT = false;  // the operand has one element
layout(constant_id = 4) const bool B_SPLAT = false;
#endif

NNVK_PARAMS(BinaryParams)
#ifdef INTEGER
#define VALUES ivec4
#else
#define VALUES vec4
#endif
#if defined(INTEGER) && defined(GENERAL)
NNVK_INT_INPUT(0, in_a, TYPE)
NNVK_INT_INPUT(1, in_b, TYPE)
#elif defined(INTEGER)
NNVK_INT4_INPUT(0, in_a, TYPE)
NNVK_INT4_INPUT(1, in_b, TYPE)
#elif defined(GENERAL)
NNVK_FLOAT_INPUT(0, in_a, TYPE)
NNVK_FLOAT_INPUT(1, in_b, TYPE)
#else
NNVK_FLOAT4_INPUT(0, in_a, TYPE)
NNVK_FLOAT4_INPUT(1, in_b, TYPE)
#endif
NNVK_OUTPUT(2, out_y)

bvec4 relation(ivec4 a, ivec4 b) {
  switch (OPERATION) {
    case kBinaryEqual: return equal(a, b);
    case kBinaryNotEqual: return notEqual(a, b);
    case kBinaryGreater: return greaterThan(a, b);
    case kBinaryGreaterEqual: return greaterThanEqual(a, b);
    case kBinaryLess: return lessThan(a, b);
    default: return lessThanEqual(a, b);
  }
}

#ifdef INTEGER

// Returns the quotient rounded toward minus infinity; 0 for a zero divisor; INT_MIN / -1 wraps.
int floor_divide(int a, int b) {
  if (b == 0) return 0;
  if (b == -1) return int(0u - uint(a));
  const int quotient = a / b;
  return quotient - int(quotient * b != a && (a < 0) != (b < 0));
}

ivec4 compute_int32(ivec4 a, ivec4 b) {
  switch (OPERATION) {
    case kBinaryAdd: return a + b;
    case kBinarySub: return a - b;
    case kBinaryMul: return a * b;
    default: return ivec4(floor_divide(a.x, b.x), floor_divide(a.y, b.y), floor_divide(a.z, b.z), floor_divide(a.w, b.w));
  }
}

int exponent(int index) { return bitfieldExtract(params.exponents, index * 8, 8); }

ivec4 compute_quantized(ivec4 a, ivec4 b) {
  a -= bitfieldExtract(params.zero_points, 0, 16);
  b -= bitfieldExtract(params.zero_points, 16, 16);
  ivec4 y;
  switch (OPERATION) {
    case kBinaryAdd:
    case kBinarySub:  // the emitter negates b's mantissa
      a = scale_fixed_point(a << 20, params.mantissas[0], exponent(0));
      b = scale_fixed_point(b << 20, params.mantissas[1], exponent(1));
      y = scale_fixed_point(a + b, params.mantissas[2], exponent(2));
      break;
    case kBinaryMul: y = scale_fixed_point(a * b, params.mantissas[2], exponent(2)); break;
    default:
      y = mix(scale_fixed_point(a * b, params.mantissas[1], exponent(1)),
              scale_fixed_point(a, params.mantissas[0], exponent(0)), greaterThanEqual(a, ivec4(0)));
      break;
  }
  return clamp(y + params.out_zero_point, ivec4(params.lo), ivec4(params.hi));
}

ivec4 compute(ivec4 a, ivec4 b) {
  if (OPERATION == kBinaryMaximum) return max(a, b);  // 8-bit operands have the output's quantization already
  if (OPERATION == kBinaryMinimum) return min(a, b);
  return TYPE == kElementInt32 ? compute_int32(a, b) : compute_quantized(a, b);
}

// Compares 8-bit values as the floats that they represent; those are not denormal or infinite, see comparable_scales().
bvec4 decide(ivec4 a, ivec4 b) {
  if (OPERATION == kBinaryLogicalAnd) return notEqual(a * b, ivec4(0));
  if (OPERATION == kBinaryLogicalOr) return notEqual(a | b, ivec4(0));
  if (TYPE == kElementInt32) return relation(a, b);
  precise const vec4 x = vec4(a - bitfieldExtract(params.zero_points, 0, 16)) * intBitsToFloat(params.lo);
  precise const vec4 y = vec4(b - bitfieldExtract(params.zero_points, 16, 16)) * intBitsToFloat(params.hi);
  return relation(nnvk_order_of(x), nnvk_order_of(y));
}

#else

vec4 compute(vec4 a, vec4 b) {
  vec4 y;
  switch (OPERATION) {
    case kBinaryAdd: y = a + b; break;
    case kBinarySub: y = a - b; break;
    case kBinaryMul: y = a * b; break;
    case kBinaryDiv: y = a / b; break;
    case kBinaryMaximum: return mix(a, b, greaterThan(b, a));  // keeps a NaN in a, ignores a NaN in b
    case kBinaryMinimum: return mix(a, b, lessThan(b, a));
    case kBinaryPow: return exact_pow(a, b);
    default: return mix(a * b, a, greaterThanEqual(a, vec4(0.0)));  // PRELU
  }
  return clamp_activation(y, intBitsToFloat(params.lo), intBitsToFloat(params.hi));
}

// Compares floats. NaN is not equal to anything, and neither larger nor smaller.
bvec4 decide(vec4 a, vec4 b) {
  const uvec4 unordered = uvec4(nnvk_is_nan(a)) | uvec4(nnvk_is_nan(b));
  return mix(relation(nnvk_order_of(a), nnvk_order_of(b)), bvec4(OPERATION == kBinaryNotEqual), bvec4(unordered));
}

#endif

void main() {
  const uint i = nnvk_invocation();
  if (4 * i >= params.elements) return;
#ifdef GENERAL
  uvec4 rest = min(4 * i + uvec4(0, 1, 2, 3), uvec4(params.elements - 1));
  uvec4 a_index = uvec4(0);
  uvec4 b_index = uvec4(0);
  for (uint d = 0; d + 1 < RANK; ++d) {
    const uvec4 quotient = rest / params.dims[d];
    const uvec4 coordinate = rest - quotient * params.dims[d];
    a_index += coordinate * params.a_strides[d];
    b_index += coordinate * params.b_strides[d];
    rest = quotient;
  }
  a_index += rest * params.a_strides[RANK - 1];
  b_index += rest * params.b_strides[RANK - 1];
  const VALUES a = VALUES(in_a(a_index.x), in_a(a_index.y), in_a(a_index.z), in_a(a_index.w));
  const VALUES b = VALUES(in_b(b_index.x), in_b(b_index.y), in_b(b_index.z), in_b(b_index.w));
#else
  uint a_index = i;
  uint b_index = i;
  if (RANK > 0) {
    uint rest = i;
    a_index = 0;
    b_index = 0;
    for (uint d = 0; d + 1 < RANK; ++d) {
      const uint quotient = rest / params.dims[d];
      const uint coordinate = rest - quotient * params.dims[d];
      a_index += coordinate * params.a_strides[d];
      b_index += coordinate * params.b_strides[d];
      rest = quotient;
    }
    a_index += rest * params.a_strides[RANK - 1];
    b_index += rest * params.b_strides[RANK - 1];
  }
  const VALUES a = A_SPLAT ? in_a(0).xxxx : in_a(a_index);
  const VALUES b = B_SPLAT ? in_b(0).xxxx : in_b(b_index);
#endif
  if (OPERATION >= kBinaryEqual) {
    out_y_int4(kElementUint8, i, ivec4(decide(a, b)));
    return;
  }
#ifdef INTEGER
  out_y_int4(TYPE, i, compute(a, b));
#else
  out_y_float4(TYPE, i, compute(a, b));
#endif
}
