// Next cell state of QUANTIZED_LSTM, four units per invocation.
#version 450
#include "fixed_point_16.glsl"
#include "quantized_lstm_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const bool COUPLED = false;  // the input gate is one minus the forget gate

NNVK_PARAMS(QuantizedLstmCellParams)
NNVK_INT4_INPUT(0, in_input_gate, kElementInt32)
NNVK_INT4_INPUT(1, in_forget_gate, kElementInt32)
NNVK_INT4_INPUT(2, in_cell_gate, kElementInt32)
NNVK_INT4_INPUT(3, in_cell, kElementInt16)
NNVK_OUTPUT(4, out_cell)

int next_state(int input_gate, int forget_gate, int cell_gate, int before) {
  const int f = logistic_16(forget_gate, 3);
  const int i = COUPLED ? 32767 - f : logistic_16(input_gate, 3);
  const int kept = rounding_shift_right(f * before, 15);
  const int added = rounding_shift_right(i * tanh_16(cell_gate, 3), 15 + params.integer_bits);
  return clamp(clamp_16(kept + added), -params.clip, params.clip);
}

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.count) return;
  const ivec4 input_gate = in_input_gate(i);
  const ivec4 forget_gate = in_forget_gate(i);
  const ivec4 cell_gate = in_cell_gate(i);
  const ivec4 before = in_cell(i);
  ivec4 next;
  for (uint j = 0; j < 4; ++j) next[j] = next_state(input_gate[j], forget_gate[j], cell_gate[j], before[j]);
  out_cell_int4(kElementInt16, i, next);
}
