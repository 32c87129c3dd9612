// Writes corrections and scales after the packed weights (DotPackParams). Runs after dot_convolution_pack.comp.
#version 450

#include "dot_convolution_params.h"
#include "dot_product.glsl"
#include "tensor.glsl"

layout(local_size_x = 64) in;

NNVK_TABLE(0, in_scales)
NNVK_INOUT(1, packed)

NNVK_PARAMS(DotConstantsParams)

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.corrections + params.scales) return;
  const uint behind = params.corrections * params.group_rows;
  if (i >= params.corrections) {
    packed_words4(behind + i, in_scales4(i - params.corrections));
    return;
  }
  const uint group = i / params.columns;
  ivec4 sum = ivec4(-params.weight_offset);
  uint at = group * params.group_rows * params.columns + i - group * params.columns;
  for (uint row = 0; row < params.group_rows; ++row, at += params.columns) sum += dot_bytes(kBytesOfOne, packed_i4(at));
  packed_words4(behind + i, uvec4(-params.in_zero_point * sum));
}
