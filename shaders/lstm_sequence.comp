// Many time steps of an LSTM without projection and layer normalization in one dispatch, for cells whose steps are shorter than a
// dispatch. A work group computes a batch row step by step and holds its state in shared memory. With NNVK_ONE_SUBGROUP a work
// group is no larger than a subgroup. It then needs no barriers, which cost software Vulkan more than the products, and shuffles
// share the state that each lane reads.
#version 450
#extension GL_EXT_control_flow_attributes : require
#include "lstm_params.h"
#include "tensor.glsl"
#ifdef NNVK_ONE_SUBGROUP
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
const uint GROUP = kLstmSequenceLanes;
const uint LOAD = kLstmSequenceLanes;  // elements of the state per loop iteration
layout(local_size_x = 8) in;
#define SYNCHRONIZE() subgroupBarrier()
#else
const uint GROUP = kLstmSequenceGroup;
const uint LOAD = 4;
layout(local_size_x = 128) in;
#define SYNCHRONIZE() barrier()
#endif
layout(constant_id = 0) const uint TILE_COLUMNS = 1;  // units that an invocation computes together
layout(constant_id = 1) const uint SLICES = 1;  // parts of a sum that invocations share; a power of two
#define LSTM_CELL_ID 2
#include "lstm_cell.glsl"

NNVK_PARAMS(LstmSequenceParams)
NNVK_FLOAT4_INPUT(0, in_weights, kElementFloat32)
NNVK_FLOAT4_INPUT(1, in_gates, kElementFloat32)
NNVK_FLOAT4_INPUT(2, in_peephole, kElementFloat32)
NNVK_FLOAT_INPUT(3, in_h, STATE_TYPE)
NNVK_FLOAT_INPUT(4, in_c, STATE_TYPE)
NNVK_OUTPUT(5, out_c)
NNVK_OUTPUT(6, out_h)
NNVK_OUTPUT(7, out_sequence)

// h: results of the previous step and of this one, in alternating halves. c: cell states.
shared float h[2 * kLstmSequenceUnits];
shared float c[kLstmSequenceUnits];
shared vec4 partial_sums[SLICES > 1 ? GROUP * TILE_COLUMNS : 1];

// Tiles of units that a work group computes at once, each with SLICES invocations.
const uint TILES = GROUP / SLICES;

void main() {
  const uint row = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (row >= params.rows) return;
  const uint tile = gl_LocalInvocationID.x % TILES;
  const uint slice = gl_LocalInvocationID.x / TILES;
  // Reads push constants once: inside loops, software Vulkan would read them again for every lane.
  const uint columns = params.columns;
  const uint steps = params.steps;
  const uint gates_step = params.gates_step * columns;
  const uint sequence_step = params.sequence_step;
  const float cell_clip = params.cell_clip;

  const uint loads = (columns + LOAD - 1) / LOAD;
  const uint begin = loads * slice / SLICES * LOAD;
  const uint end = min(loads * (slice + 1) / SLICES * LOAD, columns);
  for (uint i = gl_LocalInvocationID.x; i < columns; i += GROUP) h[i] = in_h(row * columns + i);
  uint gates_at = (params.gates_first + row) * columns;
  uint sequence_at = params.sequence_first + row * params.sequence_batch;
  for (uint done = 0; done < steps; ++done) {
    SYNCHRONIZE();
    const uint from = (done & 1u) * kLstmSequenceUnits;
    for (uint first = 0; first < columns; first += TILES * TILE_COLUMNS) {  // only one iteration if invocations share sums
      uint column[TILE_COLUMNS];  // columns beyond the last one repeat it and are not stored
      uint weight[TILE_COLUMNS];
      vec4 sums[TILE_COLUMNS];
      [[unroll]] for (uint n = 0; n < TILE_COLUMNS; ++n) {
        column[n] = min(first + tile * TILE_COLUMNS + n, columns - 1);
        weight[n] = column[n] / kLstmBlock * columns * kLstmBlock + column[n] % kLstmBlock + begin * kLstmBlock;
        sums[n] = vec4(0.0);
      }
      uint at = 0;
      uint k = begin;
      for (; k + LOAD <= end; k += LOAD) {
#ifdef NNVK_ONE_SUBGROUP
        const float own = h[from + k + gl_LocalInvocationID.x];
#endif
        [[unroll]] for (uint j = 0; j < LOAD; ++j) {
#ifdef NNVK_ONE_SUBGROUP
          const float x = subgroupShuffle(own, j);
#else
          const float x = h[from + k + j];
#endif
          [[unroll]] for (uint n = 0; n < TILE_COLUMNS; ++n) sums[n] += x * in_weights(weight[n] + at + j * kLstmBlock);
        }
        at += LOAD * kLstmBlock;
      }
      for (; k < end; ++k) {
        [[unroll]] for (uint n = 0; n < TILE_COLUMNS; ++n) sums[n] += h[from + k] * in_weights(weight[n] + at);
        at += kLstmBlock;
      }
      if (SLICES > 1) {
        [[unroll]] for (uint n = 0; n < TILE_COLUMNS; ++n) partial_sums[n * GROUP + gl_LocalInvocationID.x] = sums[n];
        SYNCHRONIZE();
      }
      if (slice != 0) continue;
      [[unroll]] for (uint n = 0; n < TILE_COLUMNS; ++n) {
        if (first + tile * TILE_COLUMNS + n >= columns) continue;
        [[unroll]] for (uint s = 1; s < SLICES; ++s) sums[n] += partial_sums[n * GROUP + s * TILES + tile];
        const float before = done == 0 ? in_c(row * columns + column[n]) : c[column[n]];
        vec4 gates = in_gates(gates_at + column[n]) + sums[n];
        vec4 peephole = vec4(0.0);
        if (PEEPHOLE) {
          peephole = in_peephole(column[n]);
          gates.xy += peephole.xy * before;
        }
        const float next = lstm_next_state(gates, before, cell_clip);
        if (PEEPHOLE) gates.w += peephole.w * next;
        const float result = lstm_result(gates.w, next);
        c[column[n]] = next;
        h[kLstmSequenceUnits - from + column[n]] = result;
        out_sequence_float(sequence_at + column[n], result);
        if (done + 1 == steps) {
          out_h_float(row * columns + column[n], result);
          out_c_float(row * columns + column[n], next);
        }
      }
    }
    gates_at += gates_step;
    sequence_at += sequence_step;
  }
}
