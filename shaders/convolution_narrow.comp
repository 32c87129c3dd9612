// Copies 32-bit results of a convolution into a tensor of narrower elements, four at a time. Convolution kernels cannot write 8-
// or 16-bit outputs themselves if channels lie in planes or are no multiple of four: they would write parts of words.
#version 450

#include "convolution_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = kElementFloat16;

#ifdef NNVK_INTEGER
NNVK_INT4_INPUT(0, in_x, kElementInt32)
#else
NNVK_FLOAT4_INPUT(0, in_x, kElementFloat32)
#endif
NNVK_OUTPUT(1, out_y)

NNVK_PARAMS(ConvolutionNarrowParams)

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.vectors) return;
#ifdef NNVK_INTEGER
  out_y_int4(TYPE, i, in_x(i));
#else
  out_y_float4(TYPE, i, in_x(i));
#endif
}
