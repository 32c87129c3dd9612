// Hidden state of QUANTIZED_LSTM, four units per invocation. The kernel writes it to two tensors, because without a projection
// two outputs are equal to it.
#version 450
#include "fixed_point_16.glsl"
#include "quantized_lstm_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;

NNVK_PARAMS(QuantizedLstmHiddenParams)
NNVK_INT4_INPUT(0, in_output_gate, kElementInt32)
NNVK_INT4_INPUT(1, in_cell, kElementInt16)
NNVK_OUTPUT(2, out_state)
NNVK_OUTPUT(3, out_y)

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.count) return;
  const ivec4 gate = in_output_gate(i);
  const ivec4 cell = in_cell(i);
  ivec4 hidden;
  for (uint j = 0; j < 4; ++j) hidden[j] = logistic_16(gate[j], 3) * tanh_16(cell[j], params.integer_bits);
  hidden = requantize(hidden, params.mantissa, params.exponent, -params.zero_point, -128, 127);
  out_state_int4(kElementInt8, i, hidden);
  out_y_int4(kElementInt8, i, hidden);
}
