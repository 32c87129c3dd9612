// Packs weights, biases, peepholes and gains of an LSTM as float32: one column of one row of depth per invocation.
#version 450
#include "lstm_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = kElementFloat32;

NNVK_PARAMS(LstmPackParams)
NNVK_FLOAT_INPUT(0, in_a, TYPE)
NNVK_FLOAT_INPUT(1, in_b, TYPE)
NNVK_FLOAT_INPUT(2, in_c, TYPE)
NNVK_FLOAT_INPUT(3, in_d, TYPE)
NNVK_OUTPUT(4, out_packed)

// Whether lane `lane` has a value.
bool exists(uint lane, uint row) { return (params.lanes >> lane & 1u) != 0u && row < params.rows; }

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.count) return;
  const uint line = i / kLstmBlock;
  const uint block = line / params.depth;
  const uint k = line - block * params.depth;
  const uint column = block * kLstmBlock + i % kLstmBlock;
  const uvec4 row = column * params.row_step + uvec4(0, 1, 2, 3) * params.lane_step;
  const uvec4 at = row * params.depth + k;
  vec4 packed = vec4(0.0);
  if (exists(0, row.x)) packed.x = in_a(at.x);
  if (exists(1, row.y)) packed.y = in_b(at.y);
  if (exists(2, row.z)) packed.z = in_c(at.z);
  if (exists(3, row.w)) packed.w = in_d(at.w);
  out_packed_words4(i, floatBitsToUint(packed));
}
