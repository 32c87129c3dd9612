// Next cell state (F4) and output of QUANTIZED_16BIT_LSTM, four units per invocation.
#version 450
#include "fixed_point_16.glsl"
#include "quantized_lstm_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;

NNVK_PARAMS(Quantized16bitLstmCellParams)
NNVK_INT4_INPUT(0, in_input_gate, kElementInt32)
NNVK_INT4_INPUT(1, in_forget_gate, kElementInt32)
NNVK_INT4_INPUT(2, in_cell_gate, kElementInt32)
NNVK_INT4_INPUT(3, in_output_gate, kElementInt32)
NNVK_INT4_INPUT(4, in_cell, kElementInt16)
NNVK_OUTPUT(5, out_cell)
NNVK_OUTPUT(6, out_y)

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.count) return;
  const ivec4 input_gate = in_input_gate(i);
  const ivec4 forget_gate = in_forget_gate(i);
  const ivec4 cell_gate = in_cell_gate(i);
  const ivec4 output_gate = in_output_gate(i);
  const ivec4 before = in_cell(i);
  ivec4 cell;
  ivec4 y;
  for (uint j = 0; j < 4; ++j) {
    const int added = multiply_16(logistic_16(input_gate[j], 3), tanh_16(cell_gate[j], 3));
    cell[j] = clamp_16(rounding_shift_right(added, 4) + multiply_16(logistic_16(forget_gate[j], 3), before[j]));
    const int hidden = multiply_16(logistic_16(output_gate[j], 3), tanh_16(shift_left_16(cell[j], 1), 3));
    y[j] = 128 + clamp(rounding_shift_right(hidden, 8), -128, 127);
  }
  out_cell_int4(kElementInt16, i, cell);
  out_y_int4(kElementUint8, i, y);
}
