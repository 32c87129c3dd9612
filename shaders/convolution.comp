// Dense convolution as an implicit matrix product: CONV_2D, GROUPED_CONV_2D, TRANSPOSE_CONV_2D, FULLY_CONNECTED, BATCH_MATMUL and
// the products of recurrent layers. One invocation computes TILE_PIXELS output pixels x TILE_VECTORS * 4 output channels of one
// group in registers; consecutive invocations compute consecutive channels. convolution_pack.comp packs the weights. With
// NNVK_SHARED_PIXELS, SHARERS consecutive invocations compute the same pixels. Each of them reads the input of TILE_PIXELS /
// SHARERS pixels, and subgroup shuffles share it.
#version 450
#extension GL_EXT_control_flow_attributes : require
#ifdef NNVK_SHARED_PIXELS
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#endif

#include "convolution_bindings.glsl"

layout(local_size_x = 32) in;
layout(constant_id = 4) const uint WINDOW = kWindowPadded;
layout(constant_id = 5) const uint TILE_VECTORS = kConvolutionTileVectors;  // output channels per invocation, in vectors of four
layout(constant_id = 6) const uint GROUPING = kGroupingNone;
layout(constant_id = 7) const bool CHUNKED = false;  // a dispatch computes only the loads [chunk_begin, chunk_end) of every sum
layout(constant_id = 8) const uint SHARERS = 1;      // a power of two that divides TILE_PIXELS; 1 without NNVK_SHARED_PIXELS
#ifndef NNVK_INTEGER
#define NNVK_RESIDUAL
layout(constant_id = 9) const bool RESIDUAL = false;
NNVK_FLOAT4_INPUT(4, in_residual, TYPE)
#else
layout(constant_id = 9) const bool EXACT = false;  // a sum has at most kConvolutionExactChannels products, so a float is exact
#endif

NNVK_INOUT(5, partial)  // CHUNKED: the sums of every invocation between dispatches

NNVK_PARAMS(ConvolutionParams)

#include "convolution_epilogue.glsl"
#include "convolution_input.glsl"
#include "convolution_window.glsl"
#include "group_channels.glsl"

// Input channels that one load reads.
const uint LANES = SCALAR_INPUT ? 1 : 4;
// How many pixels of the tile this invocation reads: those with the numbers sharer + n * SHARERS.
const uint OWN_PIXELS = TILE_PIXELS / SHARERS;

#ifdef NNVK_SHARED_PIXELS
// Pixel p's value from the invocation that reads it; `own` has an element per own pixel.
#define OF_PIXEL(own, p) subgroupShuffle(own[(p) / SHARERS], first_sharer + (p) % SHARERS)
#else
#define OF_PIXEL(own, p) own[p]
#endif

// Returns the index in `partial` for the sum of pixel p and vector n of an invocation, between dispatches.
uint partial_index(uint invocation, uint p, uint n) { return (invocation * TILE_PIXELS + p) * TILE_VECTORS + n; }

// Marks a pixel outside the output.
const uint kNoPixel = 0xFFFFFFFFu;

void main() {
  const uint invocation = nnvk_invocation();
#ifdef NNVK_SHARED_PIXELS
  // Invocations are in order within subgroups: local sizes have one dimension, and a subgroup has at least SHARERS lanes.
  const uint sharer = gl_SubgroupInvocationID & (SHARERS - 1u);
  const uint first_sharer = gl_SubgroupInvocationID - sharer;
#else
  const uint sharer = 0;
#endif
  uint pixel_tile = invocation / params.channel_tiles;
  const uint channel_tile = invocation - pixel_tile * params.channel_tiles;
  const uint group = GROUPING == kGroupingNone ? 0 : channel_tile / params.group_tiles;
  const uint first_vector = (channel_tile - group * params.group_tiles) * TILE_VECTORS;
  // Reads push constants once: inside loops, software Vulkan would read them again for every lane.
  const uint in_steps = params.in_steps;
  const uint in_height = params.in_height;
  const uint in_width = params.in_width;
  const uint in_stride_pixel = params.in_stride_pixel;

  // The grid of pixels: the output image, or one phase of it.
  uvec2 phase = uvec2(0);
  uvec2 grid = uvec2(params.out_width, params.out_height);
  const uvec2 stride = uvec2(params.stride_width, params.stride_height);
  if (WINDOW == kWindowTransposed) {
    const uint phase_tiles = (params.pixels + TILE_PIXELS - 1) / TILE_PIXELS;
    const uint number = pixel_tile / phase_tiles;
    const uint phases_across = min(stride.x, params.out_width);
    pixel_tile -= number * phase_tiles;
    phase = uvec2(number % phases_across, number / phases_across);
    grid = (grid + stride - 1) / stride;
  }
  const uint first_pixel = pixel_tile * TILE_PIXELS;

  // The start of the window of each own pixel. Pixels beyond the last one repeat the last and are not stored.
  uint image[OWN_PIXELS];
  int top[OWN_PIXELS];
  int left[OWN_PIXELS];
  uint target[OWN_PIXELS];  // their output pixels, or kNoPixel; transposed only
  if (WINDOW == kWindowPointwise) {
    [[unroll]] for (uint p = 0; p < OWN_PIXELS; ++p) {
      image[p] = min(first_pixel + sharer + p * SHARERS, params.pixels - 1) * in_stride_pixel + group * params.in_stride_group;
    }
  } else {
    const uint in_stride_batch = in_height * in_width * in_steps * group_count();
    uint batch = 0;
    uint y = 0;
    uint x = 0;
    [[unroll]] for (uint p = 0; p < OWN_PIXELS; ++p) {
      const uint pixel = first_pixel + sharer + p * SHARERS;
      if (p == 0 || SHARERS > 1) {
        const uint row = min(pixel, params.pixels - 1) / grid.x;
        x = min(pixel, params.pixels - 1) - row * grid.x;
        batch = row / grid.y;
        y = row - batch * grid.y;
      } else if (pixel < params.pixels) {
        ++x;
        const bool next_row = x == grid.x;
        x = next_row ? 0 : x;
        y += next_row ? 1 : 0;
        const bool next_image = y == grid.y;
        y = next_image ? 0 : y;
        batch += next_image ? 1 : 0;
      }
      image[p] = batch * in_stride_batch + group * params.in_stride_group;
      if (WINDOW == kWindowTransposed) {
        const uvec2 at = uvec2(x, y) * stride + phase;
        top[p] = int(y + (phase.y + uint(params.pad_top)) / stride.y);
        left[p] = int(x + (phase.x + uint(params.pad_left)) / stride.x);
        const bool exists = pixel < params.pixels && phase.y < stride.y && at.x < params.out_width && at.y < params.out_height;
        target[p] = exists ? (batch * params.out_height + at.y) * params.out_width + at.x : kNoPixel;
      } else {
        top[p] = int(y) * params.stride_height - params.pad_top;
        left[p] = int(x) * params.stride_width - params.pad_left;
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
#define SUMS total
#else
#define SUMS sum
#endif
  if (CHUNKED && params.chunk_begin > 0) {
    [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
      [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) SUMS[p][n] = LOAD_PARTIAL(partial_index(invocation, p, n));
    }
  }

  const WindowAxis rows = window_axis(params.filter_height, params.stride_height, params.dilation_height, phase.y, params.pad_top);
  const WindowAxis columns = window_axis(params.filter_width, params.stride_width, params.dilation_width, phase.x, params.pad_left);
  const uint taps = WINDOW == kWindowPointwise ? 1 : rows.taps * columns.taps;
  const uint row_vectors = params.group_tiles * TILE_VECTORS;
  const uint tap_vectors = in_steps * LANES * row_vectors;
  const uint filter_cells = WINDOW == kWindowPointwise ? 1 : params.filter_height * params.filter_width;
  const uint group_weights = group * filter_cells * tap_vectors + first_vector;
  // Loads [begin, end) of the sum; load 0 is step 0 of the first tap.
  const uint begin = CHUNKED ? min(params.chunk_begin, taps * in_steps) : 0;
  const uint end = CHUNKED ? min(params.chunk_end, taps * in_steps) : 0;
  const uint first_tap = CHUNKED ? begin / in_steps : 0;
  const uint end_tap = CHUNKED ? (end + in_steps - 1) / in_steps : taps;
  uint tap_y = CHUNKED ? first_tap / max(columns.taps, 1u) : 0;
  uint tap_x = CHUNKED ? first_tap - tap_y * columns.taps : 0;
  uint k = CHUNKED ? begin - first_tap * in_steps : 0;
  uint weight = group_weights + begin * LANES * row_vectors;
  for (uint tap = first_tap; tap < end_tap; ++tap) {
    uint base[OWN_PIXELS];
    bool inside[OWN_PIXELS];
    [[unroll]] for (uint p = 0; p < OWN_PIXELS; ++p) {
      base[p] = image[p];
      inside[p] = true;
      if (WINDOW != kWindowPointwise) {
        const int y = top[p] + int(tap_y) * rows.advance;
        const int x = left[p] + int(tap_x) * columns.advance;
        inside[p] = inside_image(y, in_height) && inside_image(x, in_width);
        base[p] += inside[p] ? (uint(y) * in_width + uint(x)) * in_stride_pixel : 0;
      }
    }
    if (WINDOW == kWindowTransposed) {
      const uint cell = (rows.first + tap_y * rows.step) * params.filter_width + columns.first + tap_x * columns.step;
      weight = group_weights + cell * tap_vectors + (CHUNKED ? k * LANES * row_vectors : 0);
    }
    const uint end_step = CHUNKED ? min(end - tap * in_steps, in_steps) : in_steps;
    while (k < end_step) {
#ifdef NNVK_INTEGER
      const uint end_exact = EXACT ? end_step : min(k + kConvolutionExactChannels / LANES, end_step);
#else
      const uint end_exact = end_step;
#endif
      for (; k < end_exact; ++k) {
        vec4 a[OWN_PIXELS];
        [[unroll]] for (uint p = 0; p < OWN_PIXELS; ++p) {
          a[p] = load_input(base[p], k);
          if (WINDOW == kWindowPadded || WINDOW == kWindowTransposed) a[p] = inside[p] ? a[p] : vec4(0.0);
        }
        vec4 b[LANES][TILE_VECTORS];
        [[unroll]] for (uint j = 0; j < LANES; ++j) {
          [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) b[j][n] = in_weights(weight + n);
          weight += row_vectors;
        }
        // Goes pixel by pixel, so that a sum stays in its register for all channels of the step.
        [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
          const vec4 elements = OF_PIXEL(a, p);
          [[unroll]] for (uint j = 0; j < LANES; ++j) {
            [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) sum[p][n] += elements[j] * b[j][n];
          }
        }
      }
#ifdef NNVK_INTEGER
      if (!EXACT) {
        [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
          [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) {
            total[p][n] += ivec4(sum[p][n]);
            sum[p][n] = vec4(0.0);
          }
        }
      }
#endif
    }
    k = 0;
    ++tap_x;
    if (tap_x == columns.taps) {
      tap_x = 0;
      ++tap_y;
    }
  }

#ifdef NNVK_INTEGER
  if (EXACT) {
    [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
      [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) total[p][n] = ivec4(sum[p][n]);
    }
  }
#endif

  if (CHUNKED && params.chunk_end != kConvolutionLastChunk) {
    [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
      [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) STORE_PARTIAL(partial_index(invocation, p, n), SUMS[p][n]);
    }
    return;
  }

  // Shuffles before any invocation returns, because invocations without channels of their own still hold pixels that others need.
  uint pixels[TILE_PIXELS];
  [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
    pixels[p] = WINDOW == kWindowTransposed ? OF_PIXEL(target, p) : (first_pixel + p < params.pixels ? first_pixel + p : kNoPixel);
  }
  const uint group_offset = GROUPING == kGroupingNone ? 0 : group * params.out_stride_group;
  [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) {
    const uint vector = first_vector + n;
    if (4 * vector < params.group_channels) {
      const ChannelConstants channels = constants_of(group, vector);
      [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
        if (pixels[p] != kNoPixel) finish(pixels[p], group_offset, params.group_channels, vector, channels, SUMS[p][n]);
      }
    }
  }
}
