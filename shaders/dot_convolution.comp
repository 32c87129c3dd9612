// Dense convolutions and matrix products of bytes by integer dot products: convolution.comp with four channels to a word. One
// invocation computes TILE_PIXELS output pixels x TILE_VECTORS * 4 output channels of one group in registers. Consecutive
// invocations compute consecutive vectors of channels. Weights, corrections and scales are packed (dot_convolution_params.h).
//
// With LANES > 1, that many invocations share a tile, for devices that would have idle lanes: each adds up every LANES-th step
// of the sums, through all taps. Shared memory then holds the parts, and the lanes of a tile add them up, a pixel's vector each.
#version 450
#extension GL_EXT_control_flow_attributes : require

#include "convolution_params.h"
#include "dot_convolution_params.h"
#include "dot_product.glsl"
#include "quantize.glsl"
#include "tensor.glsl"

layout(local_size_x = 64) in;  // kDotInvocations
layout(constant_id = 0) const uint TYPE = kElementUint8;  // of the output
layout(constant_id = 1) const uint TILE_PIXELS = 1;
layout(constant_id = 2) const uint TILE_VECTORS = 2;
layout(constant_id = 3) const bool SCALAR_OUTPUT = false;
layout(constant_id = 4) const uint WINDOW = kWindowPadded;
layout(constant_id = 5) const uint GROUPING = kGroupingNone;
layout(constant_id = 6) const bool WIDE_INPUT = false;      // four words of the input at once
layout(constant_id = 7) const bool WEIGHT_OFFSET = false;   // the signed weights have a zero point other than 0
layout(constant_id = 8) const uint LANES = 1;  // of a tile: a power of two up to 32; 1 for kWindowTransposed

NNVK_INT4_INPUT(0, in_x, kElementInt32)
NNVK_UINT4_INPUT(1, in_weights)
NNVK_INT4_INPUT(2, in_bias, kElementInt32)
NNVK_OUTPUT(3, out_y)

NNVK_PARAMS(DotConvolutionParams)

// Words of the input that a step loads.
const uint WORDS = WIDE_INPUT ? 4 : 1;
const uint TILES = kDotInvocations / LANES;  // of a work group
const uint RESULTS = TILE_PIXELS * TILE_VECTORS;
shared ivec4 shared_sums[LANES > 1 ? kDotInvocations * RESULTS : 1];

#include "convolution_tiles.glsl"

uint columns() { return params.group_tiles * TILE_VECTORS; }
uint first_correction() { return group_count() * filter_cells() * params.in_steps * WORDS * columns(); }

#define NNVK_INTEGER
#define TOTAL ivec4
ivec4 in_scales(uint i) { return ivec4(in_weights(first_correction() + group_count() * columns() + i)); }
#include "convolution_epilogue.glsl"
#include "group_channels.glsl"

ivec4 load_input(uint i) {
  if (WIDE_INPUT) return in_x(i) ^ params.sign_flip;
#ifdef NNVK_WORDS
  return ivec4(int(in_x_w[i]) ^ params.sign_flip);
#else
  return ivec4(in_x(i).x ^ params.sign_flip);
#endif
}

// Returns the constants of a vector of output channels, with the correction for the zero point of the input.
ChannelConstants corrected_constants(uint group, uint vector) {
  ChannelConstants channels = constants_of(group, vector);
  channels.bias += ivec4(in_weights(first_correction() + group * columns() + vector));
  return channels;
}

// Adds up the parts of the tile's sums that its lanes have left in shared memory, and stores the results.
void finish_shared(Tile tile, uint lane) {
  const uint group_offset = GROUPING == kGroupingNone ? 0 : tile.group * params.out_stride_group;
  for (uint result = lane; result < RESULTS; result += LANES) {
    const uint pixel = tile.first_pixel + result / TILE_VECTORS;
    const uint vector = tile.vector + result % TILE_VECTORS * params.group_tiles;
    if (pixel >= params.pixels || 4 * vector >= params.group_channels) continue;
    ivec4 total = ivec4(0);
    for (uint part = 0; part < LANES; ++part) {
      total += shared_sums[result * kDotInvocations + part * TILES + gl_LocalInvocationID.x % TILES];
    }
    finish(pixel, group_offset, params.group_channels, vector, corrected_constants(tile.group, vector), total);
  }
}

void main() {
  // With one lane, the number of the invocation.
  const uint number = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * TILES + gl_LocalInvocationID.x % TILES;
  const uint lane = gl_LocalInvocationID.x / TILES;
  const Tile tile = find_tile(number);
  if (LANES == 1 && !tile.exists) return;
  ivec4 total[TILE_PIXELS][TILE_VECTORS];
  int inputs[TILE_PIXELS];      // sums of the input, for the zero point of the weights
  ivec4 weights[TILE_VECTORS];  // sums of the weights; transposed only
  [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) weights[n] = ivec4(0);
  [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
    inputs[p] = 0;
    [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) total[p][n] = ivec4(0);
  }

  const WindowAxis rows =
      window_axis(params.filter_height, params.stride_height, params.dilation_height, tile.phase.y, params.pad_top);
  const WindowAxis cells =
      window_axis(params.filter_width, params.stride_width, params.dilation_width, tile.phase.x, params.pad_left);
  // A tile that does not exist has no taps, because its invocations wait for the others of their work group.
  const uint taps = LANES > 1 && !tile.exists ? 0 : WINDOW == kWindowPointwise ? 1 : rows.taps * cells.taps;
  const uint tap_vectors = params.in_steps * WORDS * columns();
  const uint group_weights = tile.group * filter_cells() * tap_vectors + tile.vector;
  const int outside = (params.in_zero_point & 0xFF) * kBytesOfOne;
  uvec2 at = uvec2(0);
  uint weight = group_weights + lane * WORDS * columns();
  uint k = lane;
  for (uint tap = 0; tap < taps; ++tap) {
    find_tap(at, rows, cells);
    if (WINDOW == kWindowTransposed) weight = group_weights + filter_cell(at, rows, cells) * tap_vectors;
    for (; k < params.in_steps; k += LANES) {
      ivec4 a[TILE_PIXELS];
      [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
        a[p] = load_input(tap_base[p] + k);
        if (WINDOW == kWindowPadded || WINDOW == kWindowTransposed) a[p] = tap_inside[p] ? a[p] : ivec4(outside);
      }
      [[unroll]] for (uint j = 0; j < WORDS; ++j) {
        [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) {
          const ivec4 b = ivec4(in_weights(weight + n * params.group_tiles));
          [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) total[p][n] += dot_bytes(a[p][j], b);
          if (WINDOW == kWindowTransposed) weights[n] += dot_bytes(kBytesOfOne, b);
        }
        weight += columns();
        if (WEIGHT_OFFSET) {
          [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) inputs[p] += dot_bytes(a[p][j], kBytesOfOne);
        }
      }
      weight += (LANES - 1) * WORDS * columns();
    }
    k -= params.in_steps;  // the lane's next step, counted from the next tap
    at = next_tap(at, cells);
  }
  if (WEIGHT_OFFSET) {
    [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
      [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) total[p][n] -= params.weight_zero_point * inputs[p];
    }
  }
  if (LANES > 1) {
    [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
      [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) {
        shared_sums[(p * TILE_VECTORS + n) * kDotInvocations + gl_LocalInvocationID.x] = total[p][n];
      }
    }
    barrier();
    if (tile.exists) finish_shared(tile, lane);
    return;
  }

  const uint group_offset = GROUPING == kGroupingNone ? 0 : tile.group * params.out_stride_group;
  [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) {
    const uint vector = tile.vector + n * params.group_tiles;
    if (4 * vector < params.group_channels) {
      ChannelConstants channels;
      if (WINDOW == kWindowTransposed) {
        channels = constants_of(tile.group, vector);
        const int products = int(taps * params.in_steps * WORDS * 4);
        channels.bias -= params.in_zero_point * (weights[n] - products * params.weight_zero_point);
      } else {
        channels = corrected_constants(tile.group, vector);
      }
      [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
        if (tile_stored[p]) finish(tile_target[p], group_offset, params.group_channels, vector, channels, total[p][n]);
      }
    }
  }
}
