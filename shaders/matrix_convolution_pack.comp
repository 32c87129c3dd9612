// Packs weights into chunks of 16 bytes, halves or signed bytes, of consecutive input channels (MatrixPackParams). Runs once if
// the weights are constant.
#version 450
#extension GL_EXT_control_flow_attributes : require

#include "matrix_convolution_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = kElementFloat32;

#ifdef NNVK_INTEGER
NNVK_INT_INPUT(0, in_filter, TYPE)
const uint CHUNK_CHANNELS = 16;
#define FOUR ivec4
#define STORED(v) ((v) ^ (params.sign_flip & 0x80))
#else
NNVK_FLOAT_INPUT(0, in_filter, TYPE)
const uint CHUNK_CHANNELS = 8;
#define FOUR vec4
#define STORED(v) (v)
#endif
NNVK_OUTPUT(1, out_packed)

NNVK_PARAMS(MatrixPackParams)

// Weights of input channels `first` to `first` + 3; the first element of the tap and output channel is `start`.
FOUR four_weights(uint start, uint first) {
  FOUR v = FOUR(0);
  [[unroll]] for (uint k = 0; k < 4; ++k) {
    if (first + k < params.in_channels) v[k] = STORED(in_filter(start + (first + k) * params.stride_k));
  }
  return v;
}

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.vectors) return;
  const uint row = i / params.columns;
  const uint channel = i - row * params.columns;
  const uint group = row / params.group_chunks;
  const uint group_chunk = row - group * params.group_chunks;
  const uint tap = group_chunk / params.tap_chunks;
  const uint first = (group_chunk - tap * params.tap_chunks) * CHUNK_CHANNELS;
  const uint start = group * params.stride_group + tap * params.stride_tap + channel * params.stride_channel;
  uvec4 packed = uvec4(0);
  if (channel < params.out_channels) {
#ifdef NNVK_INTEGER
    [[unroll]] for (uint j = 0; j < 4; ++j) packed[j] = nnvk_pack_bytes(four_weights(start, first + 4 * j));
#else
    packed.xy = nnvk_pack_shorts(nnvk_half_bits(four_weights(start, first)));
    packed.zw = nnvk_pack_shorts(nnvk_half_bits(four_weights(start, first + 4)));
#endif
  }
  out_packed_words4(i, packed);
}
