// One gate of QUANTIZED_16BIT_LSTM before its activation function, one unit of one batch row per invocation. The specification
// pairs the data row (input, previous output) column by column with the weight row (recurrent weights, input weights).
#version 450
#include "fixed_point_16.glsl"
#include "quantized_lstm_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const bool SCALAR_ROWS = false;  // rows are not whole vectors of four

NNVK_PARAMS(Quantized16bitLstmGateParams)
NNVK_INT4_INPUT(0, in_x, kElementUint8)
NNVK_INT4_INPUT(1, in_h, kElementUint8)
NNVK_INT4_INPUT(2, in_input_weights, kElementUint8)
NNVK_INT4_INPUT(3, in_recurrent_weights, kElementUint8)
NNVK_INT_INPUT(4, in_bias, kElementInt32)
NNVK_INOUT(5, out_gate)  // sums between the dispatches of long rows

// Loads four elements; or one element into x, and zeros, which add nothing, into the other components.
#define LOAD(name, i, zero_point) (SCALAR_ROWS ? ivec4(NNVK_SCALAR_OF(name, i) - (zero_point), 0, 0, 0) : name(i) - (zero_point))

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.count) return;
  const uint batch = i / params.units;
  const uint unit = i - batch * params.units;
  int sum = params.begin == 0 ? in_bias(unit) : out_gate_i(i);
  for (uint k = params.begin; k < params.end; ++k) {
    ivec4 data;
    if (k < params.input_loads) {
      data = LOAD(in_x, batch * params.input_loads + k, 128);
    } else {
      data = LOAD(in_h, batch * params.state_loads + k - params.input_loads, 128);
    }
    ivec4 weight;
    if (k < params.state_loads) {
      weight = LOAD(in_recurrent_weights, unit * params.state_loads + k, params.weight_zero_point);
    } else {
      weight = LOAD(in_input_weights, unit * params.input_loads + k - params.state_loads, params.weight_zero_point);
    }
    const ivec4 product = data * weight;
    sum += product.x + product.y + product.z + product.w;
  }
  const bool complete = params.end == params.input_loads + params.state_loads;
  out_gate_int(i, complete ? clamp_16(scale_fixed_point(sum, params.mantissa, params.exponent)) : sum);
}
