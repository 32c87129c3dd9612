// Packs 8-bit weights into words of four input channels, a lane per output channel (DotPackParams). Runs once if the weights are
// constant.
#version 450
#extension GL_EXT_control_flow_attributes : require

#include "dot_convolution_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = kElementInt8;

NNVK_INT_INPUT(0, in_filter, TYPE)
NNVK_OUTPUT(1, out_packed)

NNVK_PARAMS(DotPackParams)

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.vectors) return;
  const uint row = i / params.columns;
  const uint group = row / params.group_rows;
  const uint group_row = row - group * params.group_rows;
  const uint tap = group_row / params.words;
  const uint first = 4 * (group_row - tap * params.words);
  const uint start = group * params.stride_group + tap * params.stride_tap + first * params.stride_k;
  uvec4 v = uvec4(0);
  [[unroll]] for (uint n = 0; n < 4; ++n) {
    const uint channel = 4 * (i - row * params.columns) + n;
    ivec4 bytes = ivec4(0);
    [[unroll]] for (uint k = 0; k < 4; ++k) {
      if (channel < params.out_channels && first + k < params.in_channels) {
        bytes[k] = in_filter(start + channel * params.stride_channel + k * params.stride_k) ^ (params.sign_flip & 0x80);
      }
    }
    v[n] = nnvk_pack_bytes(bytes);
  }
  out_packed_words4(i, v);
}
