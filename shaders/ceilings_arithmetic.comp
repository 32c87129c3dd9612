// Measures the device's multiply-add rate in registers: eight independent chains per invocation, 32-bit floats or integers.
#version 450
#extension GL_EXT_control_flow_attributes : require
#include "ceilings_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;

NNVK_PARAMS(CeilingsParams)
NNVK_OUTPUT(0, out_y)

#ifdef NNVK_INTEGER
#define VALUE4 ivec4
#define SCALAR int
#else
#define VALUE4 vec4
#define SCALAR float
#endif

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.invocations) return;
  const VALUE4 m = VALUE4(SCALAR(params.multiplier));
  const VALUE4 b = VALUE4(SCALAR(params.addend));
  VALUE4 x = VALUE4(SCALAR(i & 7u)) + b;
  VALUE4 y = x + m;
  for (uint n = 0; n < params.iterations; ++n) {
    [[unroll]] for (uint k = 0; k < kCeilingsMultiplyAdds / 8; ++k) {
#ifdef NNVK_INTEGER
      // Each step of a chain needs the other chain: a compiler could shorten separate, linear recurrences.
      const VALUE4 previous = x;
      x = x * m + y;
      y = y * m + previous;
#else
      x = x * m + b;
      y = y * m + b;
#endif
    }
  }
#ifdef NNVK_INTEGER
  out_y_int4(kElementInt32, i, x + y);
#else
  out_y_float4(kElementFloat32, i, x + y);
#endif
}
