// Dense convolution as an implicit matrix product: CONV_2D, TRANSPOSE_CONV_2D and FULLY_CONNECTED.
// One invocation computes TILE_PIXELS output pixels x 8 output channels in registers; consecutive invocations take consecutive
// channels. Weights come packed (convolution_pack.comp): row (tap, input channel), column output channel.
#version 450
#extension GL_EXT_control_flow_attributes : require

#include "convolution_bindings.glsl"

layout(local_size_x = 32) in;
layout(constant_id = kConvolutionWindowId) const uint WINDOW = kWindowPadded;
#ifndef NNVK_INTEGER
#define NNVK_RESIDUAL
layout(constant_id = kConvolutionResidualId) const bool RESIDUAL = false;
NNVK_FLOAT4_INPUT(4, in_residual, ELEMENT)
#endif
const uint TILE_VECTORS = kConvolutionTileVectors;

NNVK_PARAMS(ConvolutionParams)

#include "convolution_epilogue.glsl"

// Input channels read at once.
const uint LANES = SCALAR_INPUT ? 1 : 4;

// Step k of the pixel at `base`: channels 4*k .. 4*k+3, or channel k in x.
vec4 load_input(uint base, uint k) {
  if (SCALAR_INPUT) return vec4(CENTER1(NNVK_SCALAR_OF(in_x, base + k * params.in_stride_channel)), 0.0, 0.0, 0.0);
  return CENTER(in_x(base + k));
}

// Output coordinate `at` (transposed: with the padding added) and filter tap -> input coordinate, or -1 where there is none.
int input_coordinate(int at, int tap, int stride, int dilation, uint size) {
  int i;
  if (WINDOW == kWindowTransposed) {
    const int t = at - tap;
    i = t / stride;
    if (t < 0 || i * stride != t) i = -1;
  } else {
    i = at + tap * dilation;
  }
  return WINDOW != kWindowInside && (i < 0 || i >= int(size)) ? -1 : i;
}

void main() {
  const uint invocation = nnvk_invocation();
  const uint pixel_tile = invocation / params.channel_tiles;
  const uint first_vector = (invocation - pixel_tile * params.channel_tiles) * TILE_VECTORS;
  const uint first_pixel = pixel_tile * TILE_PIXELS;

  // Where each pixel's window starts. Pixels beyond the last one repeat it and are not stored.
  uint image[TILE_PIXELS];
  int top[TILE_PIXELS];
  int left[TILE_PIXELS];
  if (WINDOW == kWindowPointwise) {
    [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
      image[p] = min(first_pixel + p, params.pixels - 1) * params.in_stride_pixel;
    }
  } else {
    const uint start = min(first_pixel, params.pixels - 1);
    const uint row = start / params.out_width;
    uint batch = row / params.out_height;
    uint y = row - batch * params.out_height;
    uint x = start - row * params.out_width;
    [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
      image[p] = batch * params.in_stride_batch;
      if (WINDOW == kWindowTransposed) {
        top[p] = int(y) + params.pad_top;
        left[p] = int(x) + params.pad_left;
      } else {
        top[p] = int(y) * params.stride_height - params.pad_top;
        left[p] = int(x) * params.stride_width - params.pad_left;
      }
      if (first_pixel + p + 1 < params.pixels) {
        ++x;
        const bool next_row = x == params.out_width;
        x = next_row ? 0 : x;
        y += next_row ? 1 : 0;
        const bool next_image = y == params.out_height;
        y = next_image ? 0 : y;
        batch += next_image ? 1 : 0;
      }
    }
  }

  vec4 sum[TILE_PIXELS][TILE_VECTORS];
  [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
    [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) sum[p][n] = vec4(0.0);
  }
#ifdef NNVK_INTEGER
  ivec4 total[TILE_PIXELS][TILE_VECTORS];
  [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
    [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) total[p][n] = ivec4(0);
  }
#endif

  uint weight = first_vector;
  const uint taps = WINDOW == kWindowPointwise ? 1 : params.filter_height * params.filter_width;
  int tap_y = 0;
  int tap_x = 0;
  for (uint tap = 0; tap < taps; ++tap) {
    uint base[TILE_PIXELS];
    bool inside[TILE_PIXELS];
    [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
      base[p] = image[p];
      inside[p] = true;
      if (WINDOW != kWindowPointwise) {
        const int y = input_coordinate(top[p], tap_y, params.stride_height, params.dilation_height, params.in_height);
        const int x = input_coordinate(left[p], tap_x, params.stride_width, params.dilation_width, params.in_width);
        inside[p] = WINDOW == kWindowInside || (y >= 0 && x >= 0);
        base[p] += inside[p] ? uint(y) * params.in_stride_row + uint(x) * params.in_stride_pixel : 0;
      }
    }
    uint k = 0;
    while (k < params.in_steps) {
#ifdef NNVK_INTEGER
      const uint end = min(k + kConvolutionExactChannels / LANES, params.in_steps);
#else
      const uint end = params.in_steps;
#endif
      for (; k < end; ++k) {
        vec4 a[TILE_PIXELS];
        [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
          a[p] = load_input(base[p], k);
          if (WINDOW == kWindowPadded || WINDOW == kWindowTransposed) a[p] = inside[p] ? a[p] : vec4(0.0);
        }
        [[unroll]] for (uint j = 0; j < LANES; ++j) {
          vec4 b[TILE_VECTORS];
          [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) b[n] = in_weights(weight + n);
          weight += params.weight_columns;
          [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
            [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) sum[p][n] += a[p][j] * b[n];
          }
        }
      }
#ifdef NNVK_INTEGER
      [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
        [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) {
          total[p][n] += ivec4(sum[p][n]);
          sum[p][n] = vec4(0.0);
        }
      }
#endif
    }
    ++tap_x;
    if (tap_x == int(params.filter_width)) {
      tap_x = 0;
      ++tap_y;
    }
  }

  const uint out_vectors = (params.out_channels + 3u) / 4u;
  [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) {
    const uint vector = first_vector + n;
    if (vector < out_vectors) {
      const ChannelConstants channels = channel_constants(vector);
      [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
#ifdef NNVK_INTEGER
        const TOTAL result = total[p][n];
#else
        const TOTAL result = sum[p][n];
#endif
        if (first_pixel + p < params.pixels) finish(first_pixel + p, vector, channels, result);
      }
    }
  }
}
