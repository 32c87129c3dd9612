// BATCH_MATMUL of TENSOR_INT32; sums wrap. One invocation computes 4 rows x 4 columns of one matrix.
#version 450
#extension GL_EXT_control_flow_attributes : require
#include "matmul_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;

NNVK_PARAMS(MatmulInt32Params)
NNVK_INT_INPUT(0, in_x, kElementInt32)
NNVK_INT_INPUT(1, in_y, kElementInt32)
NNVK_INOUT(2, out_z)

const uint TILE = kMatmulInt32Tile;

void main() {
  const uint tile = nnvk_invocation();
  if (tile >= params.tiles) return;
  const uint row_tile = tile / params.column_tiles;
  const uint batch = row_tile / params.row_tiles;
  const uint first_row = (row_tile - batch * params.row_tiles) * TILE;
  const uint first_column = (tile - row_tile * params.column_tiles) * TILE;

  // Rows and columns beyond the last one repeat it and are not stored.
  uint x_at[TILE];
  uint y_at[TILE];
  [[unroll]] for (uint i = 0; i < TILE; ++i) {
    x_at[i] = batch * params.rows * params.depth + min(first_row + i, params.rows - 1) * params.x_row_stride;
    y_at[i] = batch * params.depth * params.columns + min(first_column + i, params.columns - 1) * params.y_column_stride;
  }
  ivec4 sum[TILE];
  [[unroll]] for (uint r = 0; r < TILE; ++r) sum[r] = ivec4(0);
  for (uint k = params.begin; k < params.end; ++k) {
    ivec4 y;
    [[unroll]] for (uint c = 0; c < TILE; ++c) y[c] = in_y(y_at[c] + k * params.y_depth_stride);
    [[unroll]] for (uint r = 0; r < TILE; ++r) sum[r] += in_x(x_at[r] + k * params.x_depth_stride) * y;
  }
  [[unroll]] for (uint r = 0; r < TILE; ++r) {
    [[unroll]] for (uint c = 0; c < TILE; ++c) {
      if (first_row + r < params.rows && first_column + c < params.columns) {
        const uint at = (batch * params.rows + first_row + r) * params.columns + first_column + c;
        out_z_int(at, params.begin == 0 ? sum[r][c] : out_z_i(at) + sum[r][c]);
      }
    }
  }
}
