// Products of rows of in_x with packed weights: one column (four lanes) and TILE_ROWS rows per invocation. SLICES invocations of
// a work group share the depth of a sum if there are too few sums to keep a device busy; they add up in a fixed order. With
// NNVK_SHARED_ROWS, TILE_ROWS consecutive invocations have the same rows. Each invocation reads one row, and subgroup shuffles
// share it. Columns are then a multiple of TILE_ROWS, which is a power of two.
#ifdef NNVK_SHARED_ROWS
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#endif
#extension GL_EXT_control_flow_attributes : require
#include "lstm_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint X_TYPE = kElementFloat32;  // of in_x
layout(constant_id = 1) const bool SCALAR_X = false;  // rows of in_x are not whole quads
layout(constant_id = 2) const uint TILE_ROWS = 1;  // rows per invocation
layout(constant_id = 3) const uint SLICES = 1;  // parts of a sum that invocations of a work group share; a power of two

NNVK_FLOAT4_INPUT(0, in_x, X_TYPE)
NNVK_FLOAT4_INPUT(1, in_weights, kElementFloat32)

const uint LANES = SCALAR_X ? 1 : 4;
shared vec4 partial_sums[kLstmGroupSize * TILE_ROWS];

// The sums per work group, and the number of this invocation's sum.
const uint SUMS_PER_GROUP = kLstmGroupSize / SLICES;
uint sum_index() {
  return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * SUMS_PER_GROUP + gl_LocalInvocationID.x % SUMS_PER_GROUP;
}
// Row tile (x) and column (y) of this invocation. Blocks of columns are the outer loop, tiles the inner one: a block of weights
// stays in the cache for all rows.
const uint BLOCK_COLUMNS = 64;
uvec2 place_of_sum(uint rows, uint columns) {
  const uint tiles = (rows + TILE_ROWS - 1) / TILE_ROWS;
  const uint sum = sum_index();
  const uint block = sum / (BLOCK_COLUMNS * tiles);
  const uint first = block * BLOCK_COLUMNS;
  if (first >= columns) return uvec2(tiles, 0);  // beyond the last sum: a row tile that does not exist
  const uint width = min(BLOCK_COLUMNS, columns - first);
  const uint within = sum - first * tiles;
  return uvec2(within / width, first + within % width);
}
// Returns the start of a column's weights in a packed matrix for rows of `row_loads` loads.
uint first_weight(uint column, uint row_loads) {
  return column / kLstmBlock * row_loads * LANES * kLstmBlock + column % kLstmBlock;
}
uint slice_index() { return gl_LocalInvocationID.x / SUMS_PER_GROUP; }

// The starts of this invocation's rows in in_x (in loads), and their sums, which are complete only in slice 0. They are global,
// because functions cannot take arrays sized by a specialization constant.
#ifdef NNVK_SHARED_ROWS
uint row_start[1];  // only of the row that it reads: row gl_SubgroupInvocationID % TILE_ROWS of the tile
#else
uint row_start[TILE_ROWS];
#endif
vec4 sums[TILE_ROWS];

vec4 load_x(uint at) { return SCALAR_X ? vec4(NNVK_SCALAR_OF(in_x, at)) : in_x(at); }

// Adds the products of load `k` of every row with the weights from `weight` on, `stride` vectors apart.
void add_load(uint k, uint weight, uint stride) {
  vec4 x[TILE_ROWS];
#ifdef NNVK_SHARED_ROWS
  const uint sharer = gl_SubgroupInvocationID & (TILE_ROWS - 1u);
  const vec4 own = load_x(row_start[0] + k);
  [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) x[r] = subgroupShuffle(own, gl_SubgroupInvocationID - sharer + r);
#else
  [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) x[r] = load_x(row_start[r] + k);
#endif
  [[unroll]] for (uint j = 0; j < LANES; ++j) {
    const vec4 w = in_weights(weight + j * stride);
    [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) sums[r] += x[r][j] * w;
  }
}

// Sums over the loads [first, first + steps) of each row. The weights of load 0 begin at vector `weight`; those of the next
// element follow `stride` vectors later.
const uint UNROLLED = TILE_ROWS == 1 ? 4 : TILE_ROWS == 2 ? 2 : 1;  // loads per iteration; an iteration costs as much as a load
void add_products(uint first, uint steps, uint weight, uint stride) {
  [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) sums[r] = vec4(0.0);
  const uint begin = first + (SLICES == 1 ? 0 : steps * slice_index() / SLICES);
  const uint end = first + (SLICES == 1 ? steps : steps * (slice_index() + 1) / SLICES);
  weight += begin * LANES * stride;
  uint k = begin;
  for (; k + UNROLLED <= end; k += UNROLLED) {
    [[unroll]] for (uint u = 0; u < UNROLLED; ++u) add_load(k + u, weight + u * LANES * stride, stride);
    weight += UNROLLED * LANES * stride;
  }
  for (; k < end; ++k) {
    add_load(k, weight, stride);
    weight += LANES * stride;
  }
  if (SLICES > 1) {
    [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) partial_sums[r * kLstmGroupSize + gl_LocalInvocationID.x] = sums[r];
    barrier();
    if (slice_index() == 0) {
      for (uint s = 1; s < SLICES; ++s) {
        [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
          sums[r] += partial_sums[r * kLstmGroupSize + s * SUMS_PER_GROUP + gl_LocalInvocationID.x];
        }
      }
    }
  }
}
