// Writes float32 results of one or two directions side by side to an output of the operation, converted if that is FLOAT16.
#version 450
#include "lstm_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = kElementFloat32;

NNVK_PARAMS(LstmJoinParams)
NNVK_FLOAT_INPUT(0, in_a, kElementFloat32)
NNVK_FLOAT_INPUT(1, in_b, kElementFloat32)
NNVK_OUTPUT(2, out_y)

float element(uint i) {
  if (i >= params.count) return 0.0;
  const uint row = i / params.width;
  const uint column = i - row * params.width;
  if (column < params.width_a) return in_a(row * params.width_a + column);
  if (column - params.width_a < params.width_b) return in_b(row * params.width_b + column - params.width_a);
  return 0.0;
}

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.quads) return;
  out_y_float4(TYPE, i, vec4(element(4 * i), element(4 * i + 1), element(4 * i + 2), element(4 * i + 3)));
}
