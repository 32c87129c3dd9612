// Packs the weights of a convolution into rows of float vectors, one column per output channel (ConvolutionPackParams). Integer
// weights are stored minus their zero point, which a float holds exactly. Runs once when the weights are constant.
#version 450
#extension GL_EXT_control_flow_attributes : require

#include "convolution_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = kElementFloat32;

#ifdef NNVK_INTEGER
NNVK_INT_INPUT(0, in_filter, TYPE)
#else
NNVK_FLOAT_INPUT(0, in_filter, TYPE)
#endif
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
  vec4 v = vec4(0.0);
  [[unroll]] for (uint j = 0; j < 4; ++j) {
    const uint channel = 4 * (i - row * params.columns) + j;
    if (channel < params.out_channels) {
#ifdef NNVK_INTEGER
      v[j] = float(in_filter(start + channel * params.stride_channel) - params.zero_point);
#else
      v[j] = in_filter(start + channel * params.stride_channel);
#endif
    }
  }
  out_packed_float4(kElementFloat32, i, v);
}
