// Adds the contributions of an input to the gates of many rows: rows of many time steps, before the steps run. With layer
// normalization, which needs all gates before the cell, it also computes the recurrent products of one step.
#version 450
#include "lstm_product.glsl"

NNVK_PARAMS(LstmProductParams)
NNVK_FLOAT4_INPUT(2, in_bias, kElementFloat32)
NNVK_INOUT(3, out_gates)

void main() {
  const uvec2 place = place_of_sum(params.rows, params.columns);
  const uint tile = place.x;
  const uint column = place.y;
#ifdef NNVK_SHARED_ROWS
  const uint own_row = gl_SubgroupInvocationID & (TILE_ROWS - 1u);
#else
  const uint own_row = 0;
#endif
  [[unroll]] for (uint r = 0; r < row_start.length(); ++r) {  // rows beyond the last one repeat it and are not stored
    const uint row = min(tile * TILE_ROWS + own_row + r, params.rows - 1);
    const uint time = row / params.batch;
    row_start[r] = params.x_first + time * params.x_time + (row - time * params.batch) * params.x_batch;
  }
  add_products(params.first, params.steps, first_weight(column, params.row_loads), kLstmBlock);
  if (slice_index() != 0) return;
  [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
    const uint row = tile * TILE_ROWS + r;
    if (row < params.rows) {
      const uint at = (params.out_first + row) * params.columns + column;
      vec4 start = vec4(0.0);
      if (params.start == kLstmStartBias) start = in_bias(column);
      if (params.start == kLstmStartResult) start = out_gates_f4(at);
      out_gates_words4(at, floatBitsToUint(start + sums[r]));
    }
  }
}
