// Dense convolutions and matrix products of floats through shared memory. A work group computes a tile of pixels x output
// channels of one group of channels. It copies some channels of every pixel (gathered from the image, tap by tap) and of every
// weight into shared memory. For each of these channels, every invocation adds a product to its TILE_PIXELS x TILE_VECTORS * 4
// sums. Then the next channels follow. So the tile reads every input and weight from memory once. The weights have
// convolution.comp's layout, and the sums have its order.
#version 450
#extension GL_EXT_control_flow_attributes : require

#include "convolution_bindings.glsl"

layout(local_size_x = 64) in;                               // kTiledRows * kTiledColumns
layout(constant_id = 4) const uint WINDOW = kWindowPadded;  // any but kWindowTransposed
layout(constant_id = 5) const uint TILE_VECTORS = 2;        // output channels per invocation, in vectors of four
layout(constant_id = 6) const uint GROUPING = kGroupingNone;
layout(constant_id = 7) const bool RESIDUAL = false;
#define NNVK_RESIDUAL
NNVK_FLOAT4_INPUT(4, in_residual, TYPE)

NNVK_PARAMS(ConvolutionParams)

#include "convolution_epilogue.glsl"
#include "convolution_window.glsl"
#include "group_channels.glsl"

const uint INVOCATIONS = kTiledRows * kTiledColumns;
// The pixels and the vectors of output channels of a work group. TILE_PIXELS is a multiple of four.
const uint PIXELS = kTiledRows * TILE_PIXELS;
const uint VECTORS = kTiledColumns * TILE_VECTORS;
// Input channels in shared memory at a time, as chunks of four of one tap.
const uint CHUNKS = 4;
const uint CHANNELS = 4 * CHUNKS;
// Vectors of pixels per channel. One is unused, so that a pixel's consecutive channels are in different banks of shared memory.
const uint PIXEL_VECTORS = PIXELS / 4 + 1;
const uint PIXEL_LOADS = PIXELS * CHUNKS / INVOCATIONS;
const uint WEIGHT_LOADS = CHANNELS * VECTORS / INVOCATIONS;

shared vec4 shared_inputs[CHANNELS * PIXEL_VECTORS];  // by channel and pixel
shared vec4 shared_weights[CHANNELS * VECTORS];       // by channel and vector of output channels

uint in_channels() { return SCALAR_INPUT ? params.in_steps : 4 * params.in_steps; }
uint tap_chunks() { return SCALAR_INPUT ? (params.in_steps + 3u) / 4u : params.in_steps; }
uint taps() { return WINDOW == kWindowPointwise ? 1 : params.filter_height * params.filter_width; }

// The pixels that the invocation copies, every INVOCATIONS / CHUNKS-th of the tile, and the starts of their windows.
bool pixel_exists[PIXEL_LOADS];
uint image[PIXEL_LOADS];  // input position of the first pixel of the image, pointwise: of the pixel
int top[PIXEL_LOADS];
int left[PIXEL_LOADS];

void find_pixels(uint first_pixel, uint group) {
  const uint in_stride_batch = params.in_height * params.in_width * params.in_steps * group_count();
  [[unroll]] for (uint n = 0; n < PIXEL_LOADS; ++n) {
    const uint pixel = first_pixel + (gl_LocalInvocationID.x + n * INVOCATIONS) / CHUNKS;
    pixel_exists[n] = pixel < params.pixels;
    image[n] = group * params.in_stride_group;
    if (WINDOW == kWindowPointwise) {
      image[n] += pixel * params.in_stride_pixel;
    } else {
      const uint line = pixel / params.out_width;
      const uint batch = line / params.out_height;
      image[n] += batch * in_stride_batch;
      top[n] = int(line - batch * params.out_height) * params.stride_height - params.pad_top;
      left[n] = int(pixel - line * params.out_width) * params.stride_width - params.pad_left;
    }
  }
}

// Returns four channels of the pixel at `base`, from channel 4 * chunk on.
vec4 load_input(uint base, uint chunk) {
  if (!SCALAR_INPUT) return in_x(base + chunk);
  vec4 channels = vec4(0.0);
  [[unroll]] for (uint j = 0; j < 4; ++j) {
    const uint channel = 4 * chunk + j;
    if (channel < params.in_steps) channels[j] = NNVK_SCALAR_OF(in_x, base + channel * params.in_stride_channel);
  }
  return channels;
}

// Copies chunk `chunk` of tap `tap` of the invocation's pixels into shared memory, or zeros if the chunk does not exist.
void share_inputs(uvec2 tap, uint chunk) {
  const bool chunk_exists = WINDOW == kWindowPointwise ? chunk < tap_chunks() : tap.y < params.filter_height;
  vec4 channels[PIXEL_LOADS];
  [[unroll]] for (uint n = 0; n < PIXEL_LOADS; ++n) {
    bool inside = pixel_exists[n] && chunk_exists;
    uint base = image[n];
    if (WINDOW != kWindowPointwise) {
      const int y = top[n] + int(tap.y) * params.dilation_height;
      const int x = left[n] + int(tap.x) * params.dilation_width;
      inside = inside && inside_image(y, params.in_height) && inside_image(x, params.in_width);
      base += (uint(y) * params.in_width + uint(x)) * params.in_stride_pixel;
    }
    channels[n] = vec4(0.0);
    if (inside) channels[n] = load_input(base, chunk);
  }
  [[unroll]] for (uint n = 0; n < PIXEL_LOADS; ++n) {
    const uint i = gl_LocalInvocationID.x + n * INVOCATIONS;
    const uint pixel = i / CHUNKS;
    [[unroll]] for (uint j = 0; j < 4; ++j) {
      shared_inputs[(4 * (i % CHUNKS) + j) * PIXEL_VECTORS + pixel / 4][pixel % 4] = channels[n][j];
    }
  }
}

// Copies the weights of CHUNKS chunks from `first_chunk` on, counted over all taps, into shared memory, and zeros for chunks that
// do not exist.
void share_weights(uint group, uint first_vector, uint first_chunk) {
  const uint group_rows = taps() * in_channels();
  vec4 weights[WEIGHT_LOADS];
  [[unroll]] for (uint n = 0; n < WEIGHT_LOADS; ++n) {
    const uint i = gl_LocalInvocationID.x + n * INVOCATIONS;
    const uint vector = first_vector + i % VECTORS;
    uint row = 4 * first_chunk + i / VECTORS;
    bool exists = vector < row_vectors() && row < group_rows;
    if (SCALAR_INPUT) {  // the last chunk of a tap may have less than four rows
      const uint tap = row / (4 * tap_chunks());
      const uint channel = row - tap * 4 * tap_chunks();
      row = tap * in_channels() + channel;
      exists = vector < row_vectors() && tap < taps() && channel < in_channels();
    }
    weights[n] = vec4(0.0);
    if (exists) weights[n] = in_weights((group * group_rows + row) * row_vectors() + vector);
  }
  [[unroll]] for (uint n = 0; n < WEIGHT_LOADS; ++n) shared_weights[gl_LocalInvocationID.x + n * INVOCATIONS] = weights[n];
}

void main() {
  const uint work_group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint pixel_tile = work_group / params.channel_tiles;
  const uint channel_tile = work_group - pixel_tile * params.channel_tiles;
  const uint group = GROUPING == kGroupingNone ? 0 : channel_tile / params.group_tiles;
  const uint first_vector = (channel_tile - group * params.group_tiles) * VECTORS;
  const uint first_pixel = pixel_tile * PIXELS;
  if (first_pixel >= params.pixels) return;  // the whole work group returns
  find_pixels(first_pixel, group);

  // The invocation's own part: vectors column + n * kTiledColumns, and pixel vectors row + q * kTiledRows.
  const uint row = gl_LocalInvocationID.x / kTiledColumns;
  const uint column = gl_LocalInvocationID.x % kTiledColumns;
  vec4 sum[TILE_PIXELS][TILE_VECTORS];
  [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
    [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) sum[p][n] = vec4(0.0);
  }

  const uint chunks = taps() * tap_chunks();
  uvec2 tap = uvec2(0);
  uint chunk = gl_LocalInvocationID.x % CHUNKS;
  for (uint first_chunk = 0; first_chunk < chunks; first_chunk += CHUNKS) {
    if (WINDOW != kWindowPointwise) {
      while (chunk >= tap_chunks()) {
        chunk -= tap_chunks();
        ++tap.x;
        if (tap.x == params.filter_width) tap = uvec2(0, tap.y + 1);
      }
    }
    share_inputs(tap, chunk);
    share_weights(group, first_vector, first_chunk);
    chunk += CHUNKS;
    barrier();
    for (uint k = 0; k < CHANNELS; k += 4) {
      [[unroll]] for (uint j = 0; j < 4; ++j) {
        vec4 a[TILE_PIXELS / 4];
        [[unroll]] for (uint q = 0; q < TILE_PIXELS / 4; ++q) a[q] = shared_inputs[(k + j) * PIXEL_VECTORS + row + q * kTiledRows];
        [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) {
          const vec4 b = shared_weights[(k + j) * VECTORS + column + n * kTiledColumns];
          [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) sum[p][n] += a[p / 4][p % 4] * b;
        }
      }
    }
    barrier();
  }

  const uint group_offset = GROUPING == kGroupingNone ? 0 : group * params.out_stride_group;
  [[unroll]] for (uint n = 0; n < TILE_VECTORS; ++n) {
    const uint vector = first_vector + column + n * kTiledColumns;
    if (4 * vector < params.group_channels) {
      const ChannelConstants channels = constants_of(group, vector);
      [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
        const uint pixel = first_pixel + 4 * (row + p / 4 * kTiledRows) + p % 4;
        if (pixel < params.pixels) finish(pixel, group_offset, params.group_channels, vector, channels, sum[p][n]);
      }
    }
  }
}
