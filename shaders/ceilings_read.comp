// Measures how fast shaders read vec4 elements in the variant's kind of buffer. Neighbouring invocations read neighbours.
#version 450
#extension GL_EXT_control_flow_attributes : require
#include "ceilings_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;

NNVK_PARAMS(CeilingsParams)
NNVK_FLOAT4_INPUT(0, in_x, kElementFloat32)
NNVK_OUTPUT(1, out_y)

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.invocations) return;
  const uint mask = params.texels - 1;
  vec4 sum[4] = vec4[4](vec4(0.0), vec4(0.0), vec4(0.0), vec4(0.0));
  for (uint n = 0; n < params.iterations; ++n) {
    [[unroll]] for (uint k = 0; k < kCeilingsReads; ++k) sum[k & 3u] += in_x((i + k * params.invocations + n * 64) & mask);
  }
  out_y_float4(kElementFloat32, i, (sum[0] + sum[1]) + (sum[2] + sum[3]));
}
