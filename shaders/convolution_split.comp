// Products of few pixels (rows) with matrices, for devices that would have idle lanes: LANES invocations share every sum. A work
// group computes TILE_PIXELS pixels x COLUMNS * 4 output channels of one group. Each invocation adds up every LANES-th step of
// its channels' sums, so that consecutive invocations read consecutive weights. One invocation of each pixel adds up the parts.
// The weights have convolution.comp's layout; windows are pointwise.
#version 450
#extension GL_EXT_control_flow_attributes : require

#include "convolution_bindings.glsl"

layout(local_size_x = 64) in;  // kSplitInvocations
layout(constant_id = 4) const uint GROUPING = kGroupingNone;
layout(constant_id = 5) const uint LANES = 8;  // a power of two; at least TILE_PIXELS
#ifndef NNVK_INTEGER
#define NNVK_RESIDUAL
layout(constant_id = 6) const bool RESIDUAL = false;
NNVK_FLOAT4_INPUT(4, in_residual, TYPE)
#endif

NNVK_PARAMS(ConvolutionParams)

const uint WINDOW = kWindowPointwise;
#include "convolution_epilogue.glsl"
#include "convolution_input.glsl"
#include "convolution_window.glsl"
#include "group_channels.glsl"

const uint COLUMNS = kSplitInvocations / LANES;
const uint STEP = SCALAR_INPUT ? 1 : 4;  // input channels

shared TOTAL shared_sums[TILE_PIXELS * kSplitInvocations];

void main() {
  const uint work_group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint pixel_tile = work_group / params.channel_tiles;
  const uint channel_tile = work_group - pixel_tile * params.channel_tiles;
  const uint group = GROUPING == kGroupingNone ? 0 : channel_tile / params.group_tiles;
  const uint lane = gl_LocalInvocationID.x / COLUMNS;
  const uint vector = (channel_tile - group * params.group_tiles) * COLUMNS + gl_LocalInvocationID.x % COLUMNS;
  const uint first_pixel = pixel_tile * TILE_PIXELS;
  if (first_pixel >= params.pixels) return;  // the whole work group returns
  const uint in_steps = params.in_steps;
  const uint vectors = row_vectors();

  uint base[TILE_PIXELS];  // pixels beyond the last one repeat it and are not stored
  TOTAL total[TILE_PIXELS];
  [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
    base[p] = min(first_pixel + p, params.pixels - 1) * params.in_stride_pixel + group * params.in_stride_group;
    total[p] = TOTAL(0);
  }
  if (vector < vectors) {
    uint k = lane;
    while (k < in_steps) {
#ifdef NNVK_INTEGER
      const uint end = min(in_steps, k + kConvolutionExactChannels / STEP * LANES);
#else
      const uint end = in_steps;
#endif
      vec4 sum[TILE_PIXELS];
      [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) sum[p] = vec4(0.0);
      for (; k < end; k += LANES) {
        vec4 b[STEP];
        [[unroll]] for (uint j = 0; j < STEP; ++j) b[j] = in_weights(((group * in_steps + k) * STEP + j) * vectors + vector);
        [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
          const vec4 a = load_input(base[p], k);
          [[unroll]] for (uint j = 0; j < STEP; ++j) sum[p] += a[j] * b[j];
        }
      }
      [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) total[p] += TOTAL(sum[p]);
    }
  }

  [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) shared_sums[p * kSplitInvocations + gl_LocalInvocationID.x] = total[p];
  barrier();
  const uint pixel = first_pixel + lane;
  if (lane >= TILE_PIXELS || pixel >= params.pixels || 4 * vector >= params.group_channels) return;
  TOTAL whole = TOTAL(0);
  for (uint part = 0; part < LANES; ++part) {
    whole += shared_sums[lane * kSplitInvocations + part * COLUMNS + gl_LocalInvocationID.x % COLUMNS];
  }
  const uint group_offset = GROUPING == kGroupingNone ? 0 : group * params.out_stride_group;
  finish(pixel, group_offset, params.group_channels, vector, constants_of(group, vector), whole);
}
