// Writes corrections and scales after the packed bytes (MatrixPackParams). Runs after matrix_convolution_pack.comp.
#version 450
#extension GL_EXT_control_flow_attributes : require

#include "matrix_convolution_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;

NNVK_TABLE(0, in_scales)
NNVK_INOUT(1, packed)

NNVK_PARAMS(DotConstantsParams)  // columns: vectors of four output channels; group_rows: chunks of a group

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.corrections + params.scales) return;
  const uint behind = params.corrections * 4 * params.group_rows;
  if (i >= params.corrections) {
    packed_words4(behind + i, in_scales4(i - params.corrections));
    return;
  }
  const uint group = i / params.columns;
  ivec4 sum = ivec4(-params.weight_offset);
  uint at = 4 * (group * params.group_rows * params.columns + i - group * params.columns);
  for (uint chunk = 0; chunk < params.group_rows; ++chunk, at += 4 * params.columns) {
    [[unroll]] for (uint n = 0; n < 4; ++n) {
      const uvec4 words = packed4(at + n);
      ivec4 bytes = ivec4(0);
      [[unroll]] for (uint j = 0; j < 4; ++j) bytes += nnvk_unpack_int8(words[j]);
      sum[n] += bytes.x + bytes.y + bytes.z + bytes.w;
    }
  }
  packed_words4(behind + i, uvec4(-params.in_zero_point * sum));
}
