// 8-bit unary operations: sixteen table look-ups per invocation. The table holds one output byte per 32-bit element.
#version 450
#include "tensor.glsl"
#include "unary_params.h"

layout(local_size_x = 64) in;

NNVK_PARAMS(UnaryParams)
NNVK_UINT4_INPUT(0, in_x)
NNVK_INT_INPUT(1, lookup, kElementInt32)
NNVK_OUTPUT(2, out_y)

uint map_word(uint w) {
  return uint(lookup(w & 0xFFu)) | (uint(lookup((w >> 8) & 0xFFu)) << 8) | (uint(lookup((w >> 16) & 0xFFu)) << 16) |
         (uint(lookup(w >> 24)) << 24);
}

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.count) return;
  const uvec4 x = in_x(i);
  out_y_words4(i, uvec4(map_word(x.x), map_word(x.y), map_word(x.z), map_word(x.w)));
}
