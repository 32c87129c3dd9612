// One time step of a recurrent layer: state * recurrent weights + the sums of the inputs, then the activation. One invocation
// computes four units of TILE_ROWS batch rows.
#version 450
#include "lstm_product.glsl"
#include "recurrent_activation.glsl"
#include "rnn_params.h"

layout(constant_id = 4) const uint ACTIVATION = 0;
layout(constant_id = 5) const bool AUXILIARY = false;  // in_auxiliary also holds sums
layout(constant_id = 6) const bool ROUND_TO_HALF = false;  // results, to FLOAT16

NNVK_PARAMS(RnnStepParams)
NNVK_FLOAT4_INPUT(2, in_sums, kElementFloat32)
NNVK_FLOAT4_INPUT(3, in_auxiliary, kElementFloat32)
NNVK_OUTPUT(4, out_h)
NNVK_OUTPUT(5, out_sequence)

// The float after a round trip through FLOAT16.
vec4 rounded_to_half(vec4 v) {
  const uvec2 halves = nnvk_pack_shorts(nnvk_half_bits(v));
  return vec4(unpackHalf2x16(halves.x), unpackHalf2x16(halves.y));
}

void main() {
  const uint sum = sum_index();
  const uint tile = sum / params.columns;
  const uint column = sum - tile * params.columns;
  [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {  // rows beyond the last one repeat it and are not stored
    row_start[r] = min(tile * TILE_ROWS + r, params.rows - 1) * params.steps;
  }
  add_products(0, params.steps, column, params.columns);
  if (slice_index() != 0) return;
  [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
    const uint row = tile * TILE_ROWS + r;
    if (row < params.rows) {
      const uint at = params.sums_first + row * params.sums_batch + column;
      vec4 h = in_sums(at);
      if (AUXILIARY) h += in_auxiliary(at);
      h += sums[r];
      [[unroll]] for (uint j = 0; j < 4; ++j) h[j] = recurrent_activation(ACTIVATION, h[j]);
      if (ROUND_TO_HALF) h = rounded_to_half(h);
      [[unroll]] for (uint j = 0; j < 4; ++j) {
        const uint unit = 4 * column + j;
        if (unit < params.units) {
          out_h_float(row * params.units + unit, h[j]);
          out_sequence_float(params.sequence_first + row * params.sequence_batch + unit, h[j]);
        }
      }
    }
  }
}
