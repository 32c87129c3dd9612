// Dense convolutions and matrix products with weights stored as halves: FLOAT16, and FLOAT32 in relaxed models. The kernel
// multiplies and adds FLOAT16 in float32, as all kernels do. With ADDS_HALVES, for relaxed models, it adds products of QUADS * 4
// input channels in half, and these sums in float32; it computes sums beyond the range of halves again in float32. One invocation
// computes TILE_PIXELS output pixels x 8 channels of one group; consecutive invocations compute consecutive channels.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

#include "half_convolution_params.h"
#include "quantize.glsl"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = kElementFloat32;  // of input, bias and output
layout(constant_id = 1) const uint TILE_PIXELS = 1;
layout(constant_id = 2) const bool SCALAR_OUTPUT = false;
layout(constant_id = 3) const uint WINDOW = kWindowPadded;
layout(constant_id = 4) const uint GROUPING = kGroupingNone;
layout(constant_id = 5) const uint QUADS = 1;  // vectors of four input channels that a step loads
layout(constant_id = 6) const bool ADDS_HALVES = false;

NNVK_FLOAT4_INPUT(0, in_x, TYPE)
NNVK_UINT4_INPUT(1, in_weights)
NNVK_FLOAT4_INPUT(2, in_bias, TYPE)
NNVK_OUTPUT(3, out_y)
#ifdef NNVK_RESIDUAL
const bool RESIDUAL = true;
NNVK_FLOAT4_INPUT(4, in_residual, TYPE)
#endif

NNVK_PARAMS(HalfConvolutionParams)

#define TOTAL vec4
#include "convolution_epilogue.glsl"
#include "convolution_tiles.glsl"

vec4 sum[TILE_PIXELS][2];

f16vec4 halves(uvec2 words) { return f16vec4(unpackFloat2x16(words.x), unpackFloat2x16(words.y)); }

// Computes all of `sum`. `exact`: products and sums in float32.
void add_products(Tile tile, bool exact) {
  [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
    [[unroll]] for (uint n = 0; n < 2; ++n) sum[p][n] = vec4(0.0);
  }
  const WindowAxis rows =
      window_axis(params.filter_height, params.stride_height, params.dilation_height, tile.phase.y, params.pad_top);
  const WindowAxis columns =
      window_axis(params.filter_width, params.stride_width, params.dilation_width, tile.phase.x, params.pad_left);
  const uint taps = WINDOW == kWindowPointwise ? 1 : rows.taps * columns.taps;
  const uint tap_vectors = params.in_steps * QUADS * 4 * params.group_tiles;
  const uint group_weights = tile.group * filter_cells() * tap_vectors + tile.vector;
  uvec2 at = uvec2(0);
  uint weight = group_weights;
  for (uint tap = 0; tap < taps; ++tap) {
    find_tap(at, rows, columns);
    if (WINDOW == kWindowTransposed) weight = group_weights + filter_cell(at, rows, columns) * tap_vectors;
    for (uint k = 0; k < params.in_steps; ++k) {
      f16vec4 part[TILE_PIXELS][2];
      [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
        [[unroll]] for (uint n = 0; n < 2; ++n) part[p][n] = f16vec4(0.0);
      }
      [[unroll]] for (uint q = 0; q < QUADS; ++q) {
        vec4 a[TILE_PIXELS];
        [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
          a[p] = in_x(tap_base[p] + k * QUADS + q);
          if (WINDOW == kWindowPadded || WINDOW == kWindowTransposed) a[p] = tap_inside[p] ? a[p] : vec4(0.0);
        }
        [[unroll]] for (uint j = 0; j < 4; ++j) {
          const uvec4 words = in_weights(weight);
          const f16vec4 b[2] = {halves(words.xy), halves(words.zw)};
          weight += params.group_tiles;
          [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
            [[unroll]] for (uint n = 0; n < 2; ++n) {
              if (exact) {
                sum[p][n] += a[p][j] * vec4(b[n]);
              } else {
                part[p][n] += float16_t(a[p][j]) * b[n];
              }
            }
          }
        }
      }
      if (!exact) {
        [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
          [[unroll]] for (uint n = 0; n < 2; ++n) sum[p][n] += vec4(part[p][n]);
        }
      }
    }
    at = next_tap(at, columns);
  }
}

// Returns whether some sum is infinite or NaN: a part of it may have exceeded the range of halves.
bool is_beyond_range() {
  bvec4 beyond = bvec4(false);
  [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
    [[unroll]] for (uint n = 0; n < 2; ++n) {
      const bvec4 here = greaterThanEqual(floatBitsToUint(sum[p][n]) & 0x7FFFFFFFu, uvec4(0x7F800000u));
      beyond = bvec4(uvec4(beyond) | uvec4(here));
    }
  }
  return any(beyond);
}

vec4 bias_of(uint group, uint vector) {
  if (GROUPING == kGroupingMatrices) return vec4(0.0);
  if (GROUPING == kGroupingNone) return in_bias(vector);
  vec4 bias;
  [[unroll]] for (uint j = 0; j < 4; ++j) {
    bias[j] = NNVK_SCALAR_OF(in_bias, group * params.group_channels + min(4 * vector + j, params.group_channels - 1));
  }
  return bias;
}

void main() {
  const Tile tile = find_tile(nnvk_invocation());
  if (!tile.exists) return;
  if (ADDS_HALVES) add_products(tile, false);
  if (!ADDS_HALVES || is_beyond_range()) add_products(tile, true);
  const uint group_offset = GROUPING == kGroupingNone ? 0 : tile.group * params.out_stride_group;
  [[unroll]] for (uint n = 0; n < 2; ++n) {
    const uint vector = 2 * tile.vector + n;
    if (4 * vector < params.group_channels) {
      const ChannelConstants channels = channel_constants(bias_of(tile.group, vector), 0, 0);
      [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
        if (tile_stored[p]) finish(tile_target[p], group_offset, params.group_channels, vector, channels, sum[p][n]);
      }
    }
  }
}
