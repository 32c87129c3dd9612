// One time step of an LSTM without layer normalization: recurrent products, gates, next cell state and result of TILE_ROWS batch
// rows of a unit. With a projection, the kernel writes the result only to out_h, and LstmProjection computes the outputs from it.
#version 450
#include "lstm_product.glsl"
#define LSTM_CELL_ID 4
#include "lstm_cell.glsl"

NNVK_PARAMS(LstmStepParams)
NNVK_FLOAT4_INPUT(2, in_gates, kElementFloat32)
NNVK_FLOAT4_INPUT(3, in_peephole, kElementFloat32)
NNVK_FLOAT_INPUT(4, in_c, STATE_TYPE)
NNVK_OUTPUT(5, out_c)
NNVK_OUTPUT(6, out_h)
NNVK_OUTPUT(7, out_sequence)

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
    if (row < params.rows) {
      const uint unit = row * params.columns + column;
      vec4 gates = in_gates((params.gates_first + row) * params.columns + column) + sums[r];
      const float before = in_c(unit);
      vec4 peephole = vec4(0.0);
      if (PEEPHOLE) {
        peephole = in_peephole(column);
        gates.xy += peephole.xy * before;
      }
      const float c = lstm_next_state(gates, before, params.cell_clip);
      if (PEEPHOLE) gates.w += peephole.w * c;
      const float h = lstm_result(gates.w, c);
      out_c_float(unit, c);
      out_h_float(unit, h);
      if (params.to_sequence != 0) out_sequence_float(params.sequence_first + row * params.sequence_batch + column, h);
    }
  }
}
