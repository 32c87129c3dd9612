// Packs the weights of a convolution into rows of halves, eight output channels to a vector (ConvolutionPackParams, with half as
// many columns). Runs once if the weights are constant.
#version 450
#extension GL_EXT_control_flow_attributes : require

#include "half_convolution_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = kElementFloat32;

NNVK_FLOAT_INPUT(0, in_filter, TYPE)
NNVK_OUTPUT(1, out_packed)

NNVK_PARAMS(ConvolutionPackParams)

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.vectors) return;
  const uint row = i / params.columns;
  const uint group = row / params.group_rows;
  const uint group_row = row - group * params.group_rows;
  const uint tap = group_row / params.in_channels;
  const uint k = group_row - tap * params.in_channels;
  const uint start = group * params.stride_group + tap * params.stride_tap + k * params.stride_k;
  vec4 v[2] = {vec4(0.0), vec4(0.0)};
  [[unroll]] for (uint j = 0; j < kHalfTileChannels; ++j) {
    const uint channel = kHalfTileChannels * (i - row * params.columns) + j;
    if (channel < params.out_channels) v[j / 4][j % 4] = in_filter(start + channel * params.stride_channel);
  }
  out_packed_words4(i, uvec4(nnvk_pack_shorts(nnvk_half_bits(v[0])), nnvk_pack_shorts(nnvk_half_bits(v[1]))));
}
