// One time step of an LSTM with layer normalization, after its products. Normalizes each gate of a batch row over the units, the
// output gate after the peephole of the new cell state. One work group per batch row.
#version 450
#include "lstm_params.h"
#include "tensor.glsl"
#define LSTM_CELL_ID 0
#include "lstm_cell.glsl"

layout(local_size_x = 64) in;

NNVK_PARAMS(LstmStepParams)
NNVK_FLOAT4_INPUT(0, in_gates, kElementFloat32)
NNVK_FLOAT4_INPUT(1, in_peephole, kElementFloat32)
NNVK_FLOAT4_INPUT(2, in_gain, kElementFloat32)
NNVK_FLOAT4_INPUT(3, in_bias, kElementFloat32)
NNVK_FLOAT_INPUT(4, in_c, STATE_TYPE)
NNVK_INOUT(5, out_c)
NNVK_OUTPUT(6, out_h)
NNVK_OUTPUT(7, out_sequence)

shared vec4 partial_sums[kLstmGroupSize];

// Returns the mean over the units; each invocation passes its own sum, and all get the same result.
vec4 mean_of(vec4 sum) {
  partial_sums[gl_LocalInvocationID.x] = sum;
  barrier();
  vec4 total = vec4(0.0);
  for (uint i = 0; i < kLstmGroupSize; ++i) total += partial_sums[i];
  barrier();
  return total / float(params.columns);
}

vec4 reciprocal_deviation(vec4 variance) { return 1.0 / sqrt(variance + 1e-8); }

// Returns the gates of a unit with the peepholes of the previous state.
vec4 gates_of(uint row, uint column) {
  vec4 gates = in_gates((params.gates_first + row) * params.columns + column);
  if (PEEPHOLE) gates.xy += in_peephole(column).xy * in_c(row * params.columns + column);
  return gates;
}

// Returns the output gate of a unit with the peephole of the new state.
float output_gate_of(uint row, uint column) {
  float gate = in_gates((params.gates_first + row) * params.columns + column).w;
  if (PEEPHOLE) gate += in_peephole(column).w * out_c_f(row * params.columns + column);
  return gate;
}

void main() {
  const uint row = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (row >= params.rows) return;
  const uint first = gl_LocalInvocationID.x;

  vec4 sum = vec4(0.0);
  for (uint u = first; u < params.columns; u += kLstmGroupSize) sum += gates_of(row, u);
  const vec4 mean = mean_of(sum);
  sum = vec4(0.0);
  for (uint u = first; u < params.columns; u += kLstmGroupSize) {
    const vec4 deviation = gates_of(row, u) - mean;
    sum += deviation * deviation;
  }
  const vec4 scale = reciprocal_deviation(mean_of(sum));

  sum = vec4(0.0);
  for (uint u = first; u < params.columns; u += kLstmGroupSize) {
    const uint unit = row * params.columns + u;
    const vec4 gates = (gates_of(row, u) - mean) * scale * in_gain(u) + in_bias(u);
    out_c_float(unit, lstm_next_state(gates, in_c(unit), params.cell_clip));
    sum.w += output_gate_of(row, u);
  }
  const float output_mean = mean_of(sum).w;
  sum = vec4(0.0);
  for (uint u = first; u < params.columns; u += kLstmGroupSize) {
    const float deviation = output_gate_of(row, u) - output_mean;
    sum.w += deviation * deviation;
  }
  const float output_scale = reciprocal_deviation(mean_of(sum)).w;
  for (uint u = first; u < params.columns; u += kLstmGroupSize) {
    const uint unit = row * params.columns + u;
    const float gate = (output_gate_of(row, u) - output_mean) * output_scale * in_gain(u).w + in_bias(u).w;
    const float h = lstm_result(gate, out_c_f(unit));
    out_h_float(unit, h);
    if (params.to_sequence != 0) out_sequence_float(params.sequence_first + row * params.sequence_batch + u, h);
  }
}
