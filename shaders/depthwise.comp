// DEPTHWISE_CONV_2D. One invocation computes TILE_PIXELS neighbouring pixels of TILE_ROWS output rows x 4 output channels;
// consecutive invocations compute consecutive channels. convolution_pack.comp packs the weights: row tap, column output channel.
#version 450
#extension GL_EXT_control_flow_attributes : require

#include "convolution_bindings.glsl"
#include "depthwise_params.h"

layout(local_size_x = 32) in;
// If this is not 0, a tile reads each input column of a filter row once, for all its pixels. Then dilation must be 1, and the
// filter is at most 256 wide. If it is 0, the kernel reads one input vector for each tap of a pixel, and any filter works.
layout(constant_id = 4) const uint FILTER_WIDTH = 0;
layout(constant_id = 5) const uint STRIDE_WIDTH = 1;  // with a non-zero filter width only
// A dispatch adds up only the taps [begin, end). This needs a zero filter width.
layout(constant_id = 6) const bool CHUNKED = false;
layout(constant_id = 7) const uint TILE_ROWS = 1;  // above 1: the whole filter is specialized, see below
// Counts only with TILE_ROWS above 1: dilation must be 1, and the filter has at most 256 taps.
layout(constant_id = 8) const uint FILTER_HEIGHT = 1;
layout(constant_id = 9) const uint STRIDE_HEIGHT = 1;
// Input columns that one filter row covers for a whole tile.
const uint ROW_TAPS = FILTER_WIDTH == 0 ? 1 : FILTER_WIDTH;
const uint COLUMNS = (TILE_PIXELS - 1) * STRIDE_WIDTH + ROW_TAPS;
// Input rows that a tile of several output rows covers.
const uint INPUT_ROWS = (TILE_ROWS - 1) * STRIDE_HEIGHT + FILTER_HEIGHT;

NNVK_PARAMS(DepthwiseParams)
// CHUNKED: the sums of every invocation between dispatches.
#ifdef NNVK_INTEGER
NNVK_INOUT(5, partial)
#else
NNVK_INOUT(4, partial)
#endif

#include "convolution_epilogue.glsl"

// The four output channels of `vector` of the pixel at `base`.
vec4 load_input(uint base, uint vector) {
  if (!SCALAR_INPUT) return CENTER(in_x(base + vector));
  vec4 v;
  [[unroll]] for (uint j = 0; j < 4; ++j) {
    const uint channel = min(4 * vector + j, params.out_channels - 1) / params.multiplier;
    v[j] = CENTER1(NNVK_SCALAR_OF(in_x, base + channel * params.in_stride_channel));
  }
  return v;
}

vec4 load_or_zero(uint row, int x, uint vector) {
  const bool inside = x >= 0 && x < int(params.in_width);
  const vec4 v = load_input(row + (inside ? uint(x) : 0) * params.in_stride_pixel, vector);
  return inside ? v : vec4(0.0);
}

// Computes a block of TILE_ROWS x TILE_PIXELS output pixels, and reads every input pixel under their windows once. The block's
// upper left pixel is at (row, out_x) of its output image and has the index `first_pixel` in the output tensor. Its window begins
// at row `top` and column `left` of the input image, which begins at element `image`.
void compute_block(uint vector, uint vectors, uint image, int top, int left, uint row, uint out_x, uint first_pixel) {
  // Reads push constants once: after a branch, software Vulkan would read them again for every lane.
  const int in_height = int(params.in_height);
  const int in_width = int(params.in_width);
  const uint stride_pixel = params.in_stride_pixel;
  vec4 w[FILTER_HEIGHT * ROW_TAPS];
  [[unroll]] for (uint t = 0; t < FILTER_HEIGHT * ROW_TAPS; ++t) w[t] = in_weights(t * vectors + vector);
  bool inside[COLUMNS];
  uint offset[COLUMNS];
  [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
    const int x = left + int(c);
    inside[c] = x >= 0 && x < in_width;
    offset[c] = inside[c] ? uint(x) * stride_pixel : 0;
  }
  vec4 sum[TILE_ROWS][TILE_PIXELS];  // 8-bit types: exact, at most 256 products below 2^16
  [[unroll]] for (uint q = 0; q < TILE_ROWS; ++q) {
    [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) sum[q][p] = vec4(0.0);
  }
  [[unroll]] for (uint r = 0; r < INPUT_ROWS; ++r) {
    const int y = top + int(r);
    const bool inside_row = y >= 0 && y < in_height;
    const uint base = image + (inside_row ? uint(y * in_width) * stride_pixel : 0);
    vec4 column[COLUMNS];
    [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
      const vec4 v = load_input(base + offset[c], vector);
      column[c] = inside_row && inside[c] ? v : vec4(0.0);
    }
    [[unroll]] for (uint q = 0; q < TILE_ROWS; ++q) {
      if (r >= q * STRIDE_HEIGHT && r - q * STRIDE_HEIGHT < FILTER_HEIGHT) {
        const uint first_tap = (r - q * STRIDE_HEIGHT) * ROW_TAPS;
        [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
          [[unroll]] for (uint t = 0; t < ROW_TAPS; ++t) sum[q][p] += column[p * STRIDE_WIDTH + t] * w[first_tap + t];
        }
      }
    }
  }
  const ChannelConstants channels = channel_constants(in_bias(vector), vector, vectors);
  [[unroll]] for (uint q = 0; q < TILE_ROWS; ++q) {
    [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
      if (row + q < params.out_height && out_x + p < params.out_width) {
        finish(first_pixel + q * params.out_width + p, 0, params.out_channels, vector, channels, TOTAL(sum[q][p]));
      }
    }
  }
}

void main() {
  const uint invocation = nnvk_invocation();
  const uint vectors = (params.out_channels + 3u) / 4u;
  const uint tile = invocation / vectors;
  const uint vector = invocation - tile * vectors;
  if (tile >= params.tiles) return;
  const uint tile_row = tile / params.row_tiles;
  const uint batch = tile_row / params.tile_rows;
  const uint out_x = (tile - tile_row * params.row_tiles) * TILE_PIXELS;
  const uint out_y = (tile_row - batch * params.tile_rows) * TILE_ROWS;
  const uint out_row = batch * params.out_height + out_y;
  const int top = int(out_y) * params.stride_height - params.pad_top;
  const int left = int(out_x) * params.stride_width - params.pad_left;
  const uint image = batch * params.in_stride_batch;
  if (TILE_ROWS > 1) {
    compute_block(vector, vectors, image, top, left, out_y, out_x, out_row * params.out_width + out_x);
    return;
  }

  TOTAL total[TILE_PIXELS];
  [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
    total[p] = CHUNKED && params.begin > 0 ? LOAD_PARTIAL(invocation * TILE_PIXELS + p) : TOTAL(0);
  }
  const uint first_row = CHUNKED ? params.begin / params.filter_width : 0;
  const uint end_row = CHUNKED ? (params.end + params.filter_width - 1) / params.filter_width : params.filter_height;
  for (uint tap_y = first_row; tap_y < end_row; ++tap_y) {
    const int y = top + int(tap_y) * params.dilation_height;
    if (y < 0 || y >= int(params.in_height)) continue;
    const uint row = image + uint(y) * params.in_width * params.in_stride_pixel;
    const uint weight = tap_y * params.filter_width * vectors + vector;
    if (FILTER_WIDTH != 0) {
      vec4 column[COLUMNS];
      [[unroll]] for (uint c = 0; c < COLUMNS; ++c) column[c] = load_or_zero(row, left + int(c), vector);
      vec4 w[ROW_TAPS];
      [[unroll]] for (uint t = 0; t < ROW_TAPS; ++t) w[t] = in_weights(weight + t * vectors);
      [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
#ifdef NNVK_INTEGER
        vec4 sum = vec4(0.0);  // exact: at most 256 products below 2^16
        [[unroll]] for (uint t = 0; t < ROW_TAPS; ++t) sum += column[p * STRIDE_WIDTH + t] * w[t];
        total[p] += ivec4(sum);
#else
        [[unroll]] for (uint t = 0; t < ROW_TAPS; ++t) total[p] += column[p * STRIDE_WIDTH + t] * w[t];
#endif
      }
    } else {
      const uint row_tap = tap_y * params.filter_width;
      const uint first = CHUNKED ? max(params.begin, row_tap) - row_tap : 0;
      const uint end = CHUNKED ? min(params.end - row_tap, params.filter_width) : params.filter_width;
      for (uint t = first; t < end; ++t) {
        const TOTAL w = TOTAL(in_weights(weight + t * vectors));
        [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
          const int x = left + int(p) * params.stride_width + int(t) * params.dilation_width;
          total[p] += TOTAL(load_or_zero(row, x, vector)) * w;
        }
      }
    }
  }

  if (CHUNKED && params.end < params.filter_height * params.filter_width) {
    [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) STORE_PARTIAL(invocation * TILE_PIXELS + p, total[p]);
    return;
  }
  const uint first_pixel = out_row * params.out_width + out_x;
  const ChannelConstants channels = channel_constants(in_bias(vector), vector, vectors);
  [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
    if (out_x + p < params.out_width) finish(first_pixel + p, 0, params.out_channels, vector, channels, total[p]);
  }
}
