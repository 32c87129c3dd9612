// 8-bit DEPTHWISE_CONV_2D by integer dot products over the rows of a filter (DotDepthwiseParams). One invocation computes
// TILE_PIXELS neighbouring pixels of one output row x 4 channels; consecutive invocations compute consecutive channels.
#version 450
#extension GL_EXT_control_flow_attributes : require

#include "dot_convolution_params.h"
#include "dot_product.glsl"
#include "quantize.glsl"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = kElementUint8;
layout(constant_id = 1) const uint TILE_PIXELS = 1;
layout(constant_id = 2) const bool SCALAR_OUTPUT = false;
// If this is not 0, the tile reads the columns below the filter once; dilation must be 1.
layout(constant_id = 3) const uint FILTER_WIDTH = 0;
layout(constant_id = 4) const uint STRIDE_WIDTH = 1;       // with a non-zero filter width only
layout(constant_id = 5) const bool WEIGHT_OFFSET = false;  // the signed weights have a zero point other than 0
const uint ROW_TAPS = FILTER_WIDTH == 0 ? 1 : FILTER_WIDTH;
const uint COLUMNS = (TILE_PIXELS - 1) * STRIDE_WIDTH + ROW_TAPS;

NNVK_INT4_INPUT(0, in_x, kElementInt32)
NNVK_UINT4_INPUT(1, in_weights)
NNVK_INT4_INPUT(2, in_bias, kElementInt32)
NNVK_OUTPUT(3, out_y)

NNVK_PARAMS(DotDepthwiseParams)

uint vectors() { return (params.out_channels + 3u) / 4u; }
uint first_correction() { return params.filter_width * params.row_words * vectors(); }

#define NNVK_INTEGER
#define TOTAL ivec4
ivec4 in_scales(uint i) { return ivec4(in_weights(first_correction() + vectors() + i)); }
#include "convolution_epilogue.glsl"

int load_word(uint i) {
#ifdef NNVK_WORDS
  return int(in_x_w[i]) ^ params.sign_flip;
#else
  return in_x(i).x ^ params.sign_flip;
#endif
}

// Transposes words of four channels, one per row, to words of four rows, one per channel.
ivec4 transposed(uvec4 rows) {
  const uvec2 even = (rows.xz & 0x00FF00FFu) | ((rows.yw & 0x00FF00FFu) << 8);
  const uvec2 odd = ((rows.xz >> 8) & 0x00FF00FFu) | (rows.yw & 0xFF00FF00u);
  return ivec4((even.x & 0xFFFFu) | (even.y << 16), (odd.x & 0xFFFFu) | (odd.y << 16), (even.x >> 16) | (even.y & 0xFFFF0000u),
               (odd.x >> 16) | (odd.y & 0xFFFF0000u));
}

// Returns image column `x` under rows 4 * word .. 4 * word + 3 of the filter, for the four channels of `vector`. `first`: the
// image row under the first of them. Rows outside the image hold the zero point; rows beyond the filter have no weight.
ivec4 load_column(uint image, int first, int x, uint word, uint vector) {
  const int outside = (params.in_zero_point & 0xFF) * kBytesOfOne;
  const bool inside = x >= 0 && x < int(params.in_width);
  const uint column = image + (inside ? uint(x) : 0) * params.in_stride_pixel + vector;
  uvec4 rows;
  [[unroll]] for (uint r = 0; r < 4; ++r) {
    const int y = first + int(r) * params.dilation_height;
    const bool exists = inside && y >= 0 && y < int(params.in_height) && 4 * word + r < params.filter_height;
    rows[r] = uint(outside);
    if (exists) rows[r] = uint(load_word(column + uint(y) * params.in_width * params.in_stride_pixel));
  }
  return transposed(rows);
}

ivec4 dot_rows(ivec4 a, ivec4 b) { return ivec4(dot_bytes(a.x, b.x), dot_bytes(a.y, b.y), dot_bytes(a.z, b.z), dot_bytes(a.w, b.w)); }

void main() {
  const uint invocation = nnvk_invocation();
  const uint tile = invocation / vectors();
  const uint vector = invocation - tile * vectors();
  if (tile >= params.tiles) return;
  const uint out_row = tile / params.row_tiles;
  const uint batch = out_row / params.out_height;
  const uint out_x = (tile - out_row * params.row_tiles) * TILE_PIXELS;
  const int top = int(out_row - batch * params.out_height) * params.stride_height - params.pad_top;
  const int left = int(out_x) * params.stride_width - params.pad_left;
  const uint image = batch * params.in_stride_batch;

  ivec4 total[TILE_PIXELS];
  [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) total[p] = ivec4(0);
  for (uint word = 0; word < params.row_words; ++word) {
    const int first = top + int(4 * word) * params.dilation_height;
    if (FILTER_WIDTH != 0) {
      ivec4 w[ROW_TAPS];
      [[unroll]] for (uint t = 0; t < ROW_TAPS; ++t) w[t] = ivec4(in_weights((t * params.row_words + word) * vectors() + vector));
      [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
        const ivec4 column = load_column(image, first, left + int(c), word, vector);
        ivec4 offset = ivec4(0);
        if (WEIGHT_OFFSET) offset = params.weight_zero_point * dot_bytes(kBytesOfOne, column);
        [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
          const uint t = c - p * STRIDE_WIDTH;  // wraps to a huge number for columns before those of the pixel
          if (t < ROW_TAPS) total[p] += dot_rows(column, w[t]) - offset;
        }
      }
    } else {
      for (uint t = 0; t < params.filter_width; ++t) {
        const ivec4 w = ivec4(in_weights((t * params.row_words + word) * vectors() + vector));
        [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
          const int x = left + int(p) * params.stride_width + int(t) * params.dilation_width;
          const ivec4 column = load_column(image, first, x, word, vector);
          total[p] += dot_rows(column, w);
          if (WEIGHT_OFFSET) total[p] -= params.weight_zero_point * dot_bytes(kBytesOfOne, column);
        }
      }
    }
  }

  const uint first_pixel = out_row * params.out_width + out_x;
  ChannelConstants channels = channel_constants(in_bias(vector), vector, vectors());
  channels.bias += ivec4(in_weights(first_correction() + vector));
  [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
    if (out_x + p < params.out_width) finish(first_pixel + p, 0, params.out_channels, vector, channels, total[p]);
  }
}
