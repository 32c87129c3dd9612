// ABS and NEG of TENSOR_INT32, four consecutive elements per invocation. INT32_MIN wraps to itself.
#version 450
#include "tensor.glsl"
#include "unary_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint OPERATION = 0;

NNVK_PARAMS(UnaryParams)
NNVK_INT4_INPUT(0, in_x, kElementInt32)
NNVK_OUTPUT(1, out_y)

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.count) return;
  const ivec4 x = in_x(i);
  const ivec4 negated = ivec4(0u - uvec4(x));
  out_y_int4(kElementInt32, i, OPERATION == kUnaryNeg ? negated : mix(x, negated, lessThan(x, ivec4(0))));
}
