// FILL and RANK: writes one word repeatedly, 16 bytes per invocation.
#version 450
#include "tensor.glsl"
#include "data_movement_params.h"

layout(local_size_x = 64) in;

NNVK_PARAMS(FillParams)
NNVK_OUTPUT(0, out_y)

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.blocks) return;
  out_y_words4(i, uvec4(params.word));
}
