// Copies an image whose channels do not fill words, or lie in planes, into words of four channels (DotImageParams).
#version 450
#extension GL_EXT_control_flow_attributes : require

#include "dot_convolution_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = kElementInt8;

NNVK_INT_INPUT(0, in_x, TYPE)
NNVK_OUTPUT(1, out_words)

NNVK_PARAMS(DotImageParams)

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.count) return;
  const uint pixel_group = i / params.words;
  const uint first = 4 * (i - pixel_group * params.words);
  const uint pixel = pixel_group / params.groups;
  const uint group = pixel_group - pixel * params.groups;
  const uint image = pixel / params.plane;
  const uint at = image * params.stride_image + (pixel - image * params.plane) * params.stride_pixel + group * params.stride_group;
  ivec4 bytes = ivec4(params.in_zero_point);
  [[unroll]] for (uint k = 0; k < 4; ++k) {
    if (first + k < params.group_channels) bytes[k] = in_x(at + (first + k) * params.stride_channel) ^ (params.sign_flip & 0x80);
  }
  out_words_word(i, nnvk_pack_bytes(bytes));
}
