// Copies raw bytes, 16 per invocation.
#version 450
#include "tensor.glsl"
#include "cast_quantize_params.h"

layout(local_size_x = 64) in;

NNVK_PARAMS(CastParams)
NNVK_UINT4_INPUT(0, in_x)
NNVK_OUTPUT(1, out_y)

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.elements) return;
  out_y_words4(i, in_x(i));
}
