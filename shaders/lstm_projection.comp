// Projection of one time step: four neighbouring outputs of TILE_ROWS batch rows per invocation, clipped. They are the next
// output state and the step's part of the sequence.
#version 450
#include "lstm_product.glsl"
#include "recurrent_activation.glsl"

NNVK_PARAMS(LstmProjectionParams)
NNVK_FLOAT4_INPUT(2, in_start, kElementFloat32)  // biases, or sums of earlier dispatches
NNVK_OUTPUT(3, out_h)
NNVK_OUTPUT(4, out_sequence)

void main() {
  const uvec2 place = place_of_sum(params.rows, params.columns);
  const uint tile = place.x;
  const uint column = place.y;
  [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {  // rows beyond the last one repeat it and are not stored
    row_start[r] = min(tile * TILE_ROWS + r, params.rows - 1) * params.row_loads;
  }
  add_products(params.first, params.steps, first_weight(column, params.row_loads), kLstmBlock);
  if (slice_index() != 0) return;
  [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
    const uint row = tile * TILE_ROWS + r;
    vec4 h = sums[r];
    if (params.start == kLstmStartBias) h += in_start(column);
    if (params.start == kLstmStartResult && row < params.rows) h += in_start(row * params.columns + column);
    [[unroll]] for (uint lane = 0; lane < 4; ++lane) {
      const uint o = 4 * column + lane;
      if (row < params.rows && o < params.outputs) {
        const float value = params.clip > 0.0 ? recurrent_clamp(h[lane], -params.clip, params.clip) : h[lane];
        out_h_float(row * params.outputs + o, value);
        out_sequence_float(params.sequence_first + row * params.sequence_batch + o, value);
      }
    }
  }
}
