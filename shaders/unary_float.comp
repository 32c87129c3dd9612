// Unary operations on floats, four consecutive elements per invocation. The element type of input and output is TYPE.
#version 450
#include "exact_math.glsl"
#include "tensor.glsl"
#include "unary_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;
layout(constant_id = 1) const uint OPERATION = 0;

NNVK_PARAMS(UnaryParams)
NNVK_FLOAT4_INPUT(0, in_x, TYPE)
NNVK_OUTPUT(1, out_y)

// min(max(lo, x), hi) with the reference's operand order: NaN becomes lo.
vec4 clamp_unary(vec4 x, float lo, float hi) {
  x = mix(vec4(lo), x, greaterThan(x, vec4(lo)));
  return mix(vec4(hi), x, lessThan(x, vec4(hi)));
}

// Returns the logistic function. It keeps NaN, unlike the built-in exp.
vec4 logistic(vec4 x) {
  const vec4 bounded = mix(x, vec4(87.0), greaterThan(x, vec4(87.0)));  // exp(-x) would become denormal, and those are slow
  return mix(1.0 / (1.0 + exp(-bounded)), x, isnan(x));
}

// Returns tanh(x). e^x - e^-x would lose digits by cancellation near zero, so the function uses a series there, and 1 - 2/(e^2x +
// 1) elsewhere.
vec4 tanh_exact(vec4 x) {
  const vec4 a = min(abs(x), 10.0);
  const vec4 large = sign(x) * (1.0 - 2.0 / (exp(2.0 * a) + 1.0));
  const vec4 small_x = clamp(x, -0.25, 0.25);
  const vec4 x2 = small_x * small_x;
  const vec4 series = small_x + small_x * x2 * (-1.0 / 3.0 + x2 * (2.0 / 15.0 + x2 * (-17.0 / 315.0 + x2 * (62.0 / 2835.0))));
  const vec4 result = mix(large, series, lessThan(a, vec4(0.25)));
  return mix(result, x, isnan(x));
}

// Returns the square root. It computes roots of negative numbers and zeros apart, because Vulkan does not define them.
vec4 square_root(vec4 x) {
  const bvec4 positive = greaterThan(x, vec4(0.0));
  const vec4 special = mix(x, vec4(NNVK_NAN), lessThan(x, vec4(0.0)));
  return mix(special, sqrt(mix(vec4(1.0), x, positive)), positive);
}

vec4 reciprocal_root(vec4 x) {
  const bvec4 positive = greaterThan(x, vec4(0.0));
  const vec4 infinity = mix(vec4(NNVK_INFINITY), vec4(-NNVK_INFINITY), lessThan(floatBitsToInt(x), ivec4(0)));  // of both zeros
  const vec4 special = mix(vec4(NNVK_NAN), infinity, equal(x, vec4(0.0)));
  const vec4 y = inversesqrt(mix(vec4(1.0), x, positive));
  return mix(mix(special, y, positive), vec4(0.0), equal(x, vec4(NNVK_INFINITY)));
}

// Returns max(0, x) + min(0, alpha (e^x - 1)) with the operand order of the reference: NaN gives 0.
vec4 exponential_linear(vec4 x) {
  precise const vec4 negative = params.alpha * (exact_exp(x) - 1.0);
  const vec4 zero = vec4(0.0);
  precise const vec4 y = mix(zero, x, greaterThan(x, zero)) + mix(zero, negative, lessThan(negative, zero));
  return y;
}

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.count) return;
  const vec4 x = in_x(i);
  vec4 y;
  switch (OPERATION) {
    case kUnaryRelu: y = clamp_unary(x, 0.0, 3.4028234663852886e38); break;
    case kUnaryRelu1: y = clamp_unary(x, -1.0, 1.0); break;
    case kUnaryRelu6: y = clamp_unary(x, 0.0, 6.0); break;
    case kUnaryLogistic: y = logistic(x); break;
    case kUnaryTanh: y = tanh_exact(x); break;
    case kUnaryAbs: y = uintBitsToFloat(floatBitsToUint(x) & 0x7FFFFFFFu); break;
    case kUnaryNeg: y = uintBitsToFloat(floatBitsToUint(x) ^ 0x80000000u); break;
    case kUnaryFloor: y = floor(x); break;
    case kUnaryExp: y = exact_exp(x); break;
    case kUnaryLog: y = exact_log(x); break;
    case kUnarySin: y = exact_sin(x); break;
    case kUnarySqrt: y = square_root(x); break;
    case kUnaryRsqrt: y = reciprocal_root(x); break;
    case kUnaryElu: y = exponential_linear(x); break;
    default: {  // HARD_SWISH; precise: the product may overflow before the division
      precise const vec4 product = x * clamp(x + 3.0, 0.0, 6.0);
      y = product / 6.0;
      break;
    }
  }
  out_y_float4(TYPE, i, y);
}
