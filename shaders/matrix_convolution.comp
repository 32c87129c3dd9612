// Dense convolutions and matrix products by cooperative matrices. FLOAT16 and relaxed FLOAT32 are products of halves with sums in
// float32, bytes have sums in 32-bit integers. A work group computes a tile of pixels x output channels of one group. It copies
// kMatrixChunks chunks of every pixel (gathered from the image, tap by tap) and of every channel into shared memory, multiplies
// them, and continues with the next chunks. Each subgroup holds a block of the sums, BLOCK_ROWS x BLOCK_COLUMNS matrices. The
// file uses NVIDIA's extension; the packer changes it to VK_KHR_cooperative_matrix (tools/shader_packer/cooperative_matrix.h).
#version 450
#pragma use_vulkan_memory_model
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_NV_cooperative_matrix : require
#ifdef NNVK_INTEGER
#extension GL_NV_integer_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#else
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif

#include "convolution_params.h"
#include "matrix_convolution_params.h"
#include "quantize.glsl"
#include "tensor.glsl"

layout(local_size_x = 128) in;                           // kMatrixInvocations
layout(constant_id = 0) const uint TYPE = kElementInt8;  // of the output; for floats also of the input
layout(constant_id = 1) const uint MATRIX_ROWS = 16;     // pixels
layout(constant_id = 2) const uint MATRIX_COLUMNS = 16;  // output channels
layout(constant_id = 3) const uint MATRIX_DEPTH = 16;    // input channels
layout(constant_id = 4) const uint BLOCK_ROWS = 2;       // matrices of a subgroup
layout(constant_id = 5) const uint BLOCK_COLUMNS = 2;
layout(constant_id = 6) const uint GROUP_ROWS = 2;       // blocks of a work group
layout(constant_id = 7) const uint GROUP_COLUMNS = 2;
layout(constant_id = 8) const bool SCALAR_OUTPUT = false;
layout(constant_id = 9) const uint WINDOW = kWindowPadded;  // any but kWindowTransposed
layout(constant_id = 10) const uint GROUPING = kGroupingNone;
#ifdef NNVK_INTEGER
layout(constant_id = 11) const bool WIDE_INPUT = false;     // the input is read in whole chunks, else in words
layout(constant_id = 12) const bool WEIGHT_OFFSET = false;  // the signed weights have a zero point other than 0
#else
layout(constant_id = 11) const bool SCALAR_INPUT = false;  // the input is read element by element (any layout, any channels)
#endif

#ifdef NNVK_INTEGER
NNVK_INT4_INPUT(0, in_x, kElementInt32)
NNVK_UINT4_INPUT(1, in_weights)
NNVK_INT4_INPUT(2, in_bias, kElementInt32)
NNVK_OUTPUT(3, out_y)
NNVK_PARAMS(MatrixIntegerParams)
#define TOTAL ivec4
#define LEFT icoopmatNV<8, gl_ScopeSubgroup, MATRIX_ROWS, MATRIX_DEPTH>
#define RIGHT icoopmatNV<8, gl_ScopeSubgroup, MATRIX_DEPTH, MATRIX_COLUMNS>
#define SUM icoopmatNV<32, gl_ScopeSubgroup, MATRIX_ROWS, MATRIX_COLUMNS>
const uint CHUNK_CHANNELS = 16;
#else
NNVK_FLOAT4_INPUT(0, in_x, TYPE)
NNVK_UINT4_INPUT(1, in_weights)
NNVK_FLOAT4_INPUT(2, in_bias, TYPE)
NNVK_OUTPUT(3, out_y)
#ifdef NNVK_RESIDUAL
const bool RESIDUAL = true;
NNVK_FLOAT4_INPUT(4, in_residual, TYPE)
#endif
NNVK_PARAMS(MatrixFloatParams)
#define TOTAL vec4
#define LEFT fcoopmatNV<16, gl_ScopeSubgroup, MATRIX_ROWS, MATRIX_DEPTH>
#define RIGHT fcoopmatNV<16, gl_ScopeSubgroup, MATRIX_DEPTH, MATRIX_COLUMNS>
#define SUM fcoopmatNV<32, gl_ScopeSubgroup, MATRIX_ROWS, MATRIX_COLUMNS>
const uint CHUNK_CHANNELS = 8;
#endif

const uint TILE_ROWS = MATRIX_ROWS * BLOCK_ROWS * GROUP_ROWS;
const uint TILE_CHANNELS = MATRIX_COLUMNS * BLOCK_COLUMNS * GROUP_COLUMNS;
const uint BLOCKS = GROUP_ROWS * GROUP_COLUMNS;
const uint MATRIX_VECTORS = MATRIX_ROWS * MATRIX_COLUMNS / 4;  // of four sums
// Sizes in shared memory, in units of 8 bytes: rows of every matrix must begin at whole units. A row is longer than its chunks,
// so that the same places of consecutive rows are in different banks.
const uint ROW_UNITS = 2 * kMatrixChunks + 2;
const uint DEPTH_UNITS = 2 * MATRIX_DEPTH / CHUNK_CHANNELS;
const uint ROW_LOADS = (TILE_ROWS * kMatrixChunks + kMatrixInvocations - 1) / kMatrixInvocations;
const uint CHANNEL_LOADS = (TILE_CHANNELS * kMatrixChunks + kMatrixInvocations - 1) / kMatrixInvocations;

const uint STEPS = kMatrixChunks * CHUNK_CHANNELS / MATRIX_DEPTH;
// Small tiles are for GPUs with few registers, which cannot hold the operands of several steps.
const bool FEW_REGISTERS = TILE_ROWS * TILE_CHANNELS <= 512;

shared uvec2 shared_rows[TILE_ROWS * ROW_UNITS];
shared uvec2 shared_channels[TILE_CHANNELS * ROW_UNITS];
shared uvec4 shared_sums[BLOCKS * MATRIX_VECTORS];

#include "convolution_window.glsl"

uint group_chunks() {
  return WINDOW == kWindowPointwise ? params.tap_chunks : params.filter_height * params.filter_width * params.tap_chunks;
}
uint columns() { return (params.group_channels + 3u) / 4u * 4u; }

#ifdef NNVK_INTEGER
shared ivec4 shared_input_sums[TILE_ROWS];  // of every pixel; WEIGHT_OFFSET only
uint first_correction() { return group_count() * group_chunks() * columns(); }
ivec4 in_scales(uint i) { return ivec4(in_weights(first_correction() + group_count() * columns() / 4u + i)); }
#endif
#include "convolution_epilogue.glsl"
#include "group_channels.glsl"

// The pixels whose chunks the invocation loads, every kMatrixInvocations / kMatrixChunks-th of the tile, with their windows.
bool row_exists[ROW_LOADS];
uint row_image[ROW_LOADS];  // input position of the first pixel of the image, pointwise: of the pixel
int row_top[ROW_LOADS];
int row_left[ROW_LOADS];

void find_rows(uint first_pixel, uint group) {
#ifdef NNVK_INTEGER
  const bool planar = false;
#else
  const bool planar = SCALAR_INPUT && params.in_stride_channel != 1;
#endif
  const uint in_stride_batch = planar ? params.in_stride_channel * params.tap_size * group_count()
                                      : params.in_height * params.in_width * params.in_stride_pixel;
  [[unroll]] for (uint n = 0; n < ROW_LOADS; ++n) {
    const uint row = (gl_LocalInvocationID.x + n * kMatrixInvocations) / kMatrixChunks;
    const uint pixel = first_pixel + row;
    row_exists[n] = row < TILE_ROWS && pixel < params.pixels;
    row_image[n] = group * params.in_stride_group;
    if (WINDOW == kWindowPointwise) {
      row_image[n] += pixel * params.in_stride_pixel;
    } else {
      const uint line = pixel / params.out_width;
      const uint batch = line / params.out_height;
      row_image[n] += batch * in_stride_batch;
      row_top[n] = int(line - batch * params.out_height) * params.stride_height - params.pad_top;
      row_left[n] = int(pixel - line * params.out_width) * params.stride_width - params.pad_left;
    }
  }
}

// The next chunk of its pixels that the invocation loads: chunk `chunk` of tap (x, y).
uvec2 tap;
uint chunk;

void skip_chunks(uint count) {
  chunk += count;
  if (WINDOW == kWindowPointwise) return;
  while (chunk >= params.tap_chunks) {
    chunk -= params.tap_chunks;
    ++tap.x;
    if (tap.x == params.filter_width) tap = uvec2(0, tap.y + 1);
  }
}

bool chunk_exists() { return WINDOW == kWindowPointwise ? chunk < params.tap_chunks : tap.y < params.filter_height; }

// The chunk of a pixel whose channels begin at `base`.
#ifdef NNVK_INTEGER
uvec4 load_chunk(uint base) {
  if (WIDE_INPUT) return uvec4(in_x(base + chunk) ^ params.sign_flip);
  ivec4 words = ivec4((params.in_zero_point & 0xFF) * 0x01010101);
  [[unroll]] for (uint j = 0; j < 4; ++j) {
    const uint word = 4 * chunk + j;
#ifdef NNVK_WORDS
    if (word < params.tap_size) words[j] = int(NNVK_READ(in_x, base + word)) ^ params.sign_flip;
#else
    if (word < params.tap_size) words[j] = in_x(base + word).x ^ params.sign_flip;
#endif
  }
  return uvec4(words);
}
// Returns the chunk for cells outside the image, which hold the zero point. For a chunk that does not exist it returns 0, because
// that must not count at all.
uvec4 outside_chunk() { return uvec4(chunk_exists() ? (params.in_zero_point & 0xFF) * 0x01010101 : 0); }

int sum_of_bytes(uvec4 words) {
  ivec4 sum = ivec4(0);
  [[unroll]] for (uint j = 0; j < 4; ++j) sum += nnvk_unpack_int8(words[j]);
  return sum.x + sum.y + sum.z + sum.w;
}
#else
uvec2 in_halves(vec4 v) { return uvec2(packFloat2x16(f16vec2(v.xy)), packFloat2x16(f16vec2(v.zw))); }

uvec4 load_chunk(uint base) {
  vec4 v[2] = {vec4(0.0), vec4(0.0)};
  [[unroll]] for (uint q = 0; q < 2; ++q) {
    const uint first = CHUNK_CHANNELS * chunk + 4 * q;
    if (SCALAR_INPUT) {
      [[unroll]] for (uint j = 0; j < 4; ++j) {
        if (first + j < params.tap_size) v[q][j] = NNVK_SCALAR_OF(in_x, base + (first + j) * params.in_stride_channel);
      }
    } else if (first < params.tap_size) {
      v[q] = in_x(base + first / 4);
    }
  }
  return uvec4(in_halves(v[0]), in_halves(v[1]));
}
uvec4 outside_chunk() { return uvec4(0); }
#endif

// Data that the invocation has read from memory and will write to shared memory.
uvec4 next_rows[ROW_LOADS];
uvec4 next_channels[CHANNEL_LOADS];

void read_rows() {
  [[unroll]] for (uint n = 0; n < ROW_LOADS; ++n) {
    bool inside = row_exists[n] && chunk_exists();
    uint base = row_image[n];
    if (WINDOW != kWindowPointwise) {
      const int y = row_top[n] + int(tap.y) * params.dilation_height;
      const int x = row_left[n] + int(tap.x) * params.dilation_width;
      inside = inside && inside_image(y, params.in_height) && inside_image(x, params.in_width);
      base += (uint(y) * params.in_width + uint(x)) * params.in_stride_pixel;
    }
    next_rows[n] = outside_chunk();
    if (inside) next_rows[n] = load_chunk(base);
  }
}

void read_channels(uint group, uint first_channel, uint first_chunk) {
  [[unroll]] for (uint n = 0; n < CHANNEL_LOADS; ++n) {
    const uint i = gl_LocalInvocationID.x + n * kMatrixInvocations;
    const uint channel = first_channel + i % TILE_CHANNELS;
    const uint group_chunk = first_chunk + i / TILE_CHANNELS;
    next_channels[n] = uvec4(0);
    if (channel < columns() && group_chunk < group_chunks()) {
      next_channels[n] = in_weights((group * group_chunks() + group_chunk) * columns() + channel);
    }
  }
}

void share_what_was_read() {
  [[unroll]] for (uint n = 0; n < ROW_LOADS; ++n) {
    const uint i = gl_LocalInvocationID.x + n * kMatrixInvocations;
    const uint at = i / kMatrixChunks * ROW_UNITS + i % kMatrixChunks * 2;
    if (i < TILE_ROWS * kMatrixChunks) {
      shared_rows[at] = next_rows[n].xy;
      shared_rows[at + 1] = next_rows[n].zw;
    }
  }
  [[unroll]] for (uint n = 0; n < CHANNEL_LOADS; ++n) {
    const uint i = gl_LocalInvocationID.x + n * kMatrixInvocations;
    const uint at = i % TILE_CHANNELS * ROW_UNITS + i / TILE_CHANNELS * 2;
    if (i < TILE_CHANNELS * kMatrixChunks) {
      shared_channels[at] = next_channels[n].xy;
      shared_channels[at + 1] = next_channels[n].zw;
    }
  }
}

// Finishes and stores four sums of pixel `row` of the tile.
void finish_vector(uint first_pixel, uint row, uint group, uint vector, uvec4 sums) {
  const uint pixel = first_pixel + row;
  if (pixel >= params.pixels || 4 * vector >= params.group_channels) return;
  const uint group_offset = GROUPING == kGroupingNone ? 0 : group * params.out_stride_group;
  ChannelConstants channels = constants_of(group, vector);
#ifdef NNVK_INTEGER
  ivec4 total = ivec4(sums);
  channels.bias += ivec4(in_weights(first_correction() + group * columns() / 4u + vector));
  if (WEIGHT_OFFSET) {
    const ivec4 inputs = shared_input_sums[row];
    total -= params.weight_zero_point * (inputs.x + inputs.y + inputs.z + inputs.w);
  }
  finish(pixel, group_offset, params.group_channels, vector, channels, total);
#else
  finish(pixel, group_offset, params.group_channels, vector, channels, uintBitsToFloat(sums));
#endif
}

void main() {
  const uint pixel_tile = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) / params.channel_tiles;
  const uint channel_tile = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) - pixel_tile * params.channel_tiles;
  const uint group = GROUPING == kGroupingNone ? 0 : channel_tile / params.group_tiles;
  const uint first_channel = (channel_tile - group * params.group_tiles) * TILE_CHANNELS;
  const uint first_pixel = pixel_tile * TILE_ROWS;
  if (first_pixel >= params.pixels) return;  // the whole work group returns
  find_rows(first_pixel, group);

  // One iteration, unless subgroups are larger than the device reported.
  for (uint first_block = 0; first_block < BLOCKS; first_block += gl_NumSubgroups) {
    const uint block = first_block + gl_SubgroupID;
    const uint block_row = block / GROUP_COLUMNS * BLOCK_ROWS;  // in matrices
    const uint block_column = block % GROUP_COLUMNS * BLOCK_COLUMNS;
    SUM sum[BLOCK_ROWS * BLOCK_COLUMNS];
    [[unroll]] for (uint i = 0; i < BLOCK_ROWS * BLOCK_COLUMNS; ++i) sum[i] = SUM(0);
#ifdef NNVK_INTEGER
    int input_sum[ROW_LOADS];
    [[unroll]] for (uint n = 0; n < ROW_LOADS; ++n) input_sum[n] = 0;
#endif
    tap = uvec2(0);
    chunk = 0;
    skip_chunks(gl_LocalInvocationID.x % kMatrixChunks);
    read_rows();
    read_channels(group, first_channel, 0);

    for (uint done = 0; done < group_chunks(); done += kMatrixChunks) {
      share_what_was_read();
#ifdef NNVK_INTEGER
      if (WEIGHT_OFFSET) {
        [[unroll]] for (uint n = 0; n < ROW_LOADS; ++n) input_sum[n] += sum_of_bytes(next_rows[n]);
      }
#endif
      barrier();
      if (done + kMatrixChunks < group_chunks()) {  // read while matrices are multiplied
        skip_chunks(kMatrixChunks);
        read_rows();
        read_channels(group, first_channel, done + kMatrixChunks);
      }
      if (block < BLOCKS) {
        // min(): the same number, but one that the compiler does not know and cannot unroll for.
        const uint steps = FEW_REGISTERS ? min(STEPS, STEPS * params.channel_tiles) : STEPS;
        [[unroll]] for (uint step = 0; step < steps; ++step) {
          LEFT left[BLOCK_ROWS];
          [[unroll]] for (uint r = 0; r < BLOCK_ROWS; ++r) {
            coopMatLoadNV(left[r], shared_rows, (block_row + r) * MATRIX_ROWS * ROW_UNITS + step * DEPTH_UNITS, ROW_UNITS, false);
          }
          [[unroll]] for (uint c = 0; c < BLOCK_COLUMNS; ++c) {
            RIGHT right;
            coopMatLoadNV(right, shared_channels, (block_column + c) * MATRIX_COLUMNS * ROW_UNITS + step * DEPTH_UNITS, ROW_UNITS,
                          true);
            [[unroll]] for (uint r = 0; r < BLOCK_ROWS; ++r) {
              sum[r * BLOCK_COLUMNS + c] = coopMatMulAddNV(left[r], right, sum[r * BLOCK_COLUMNS + c]);
            }
          }
        }
      }
      barrier();
    }

#ifdef NNVK_INTEGER
    if (WEIGHT_OFFSET) {
      [[unroll]] for (uint n = 0; n < ROW_LOADS; ++n) {
        const uint i = gl_LocalInvocationID.x + n * kMatrixInvocations;
        if (i < TILE_ROWS * kMatrixChunks) shared_input_sums[i / kMatrixChunks][i % kMatrixChunks] = input_sum[n];
      }
    }
#endif
    // One matrix of every block at a time passes through shared memory to the invocations that finish it.
    [[unroll]] for (uint r = 0; r < BLOCK_ROWS; ++r) {
      [[unroll]] for (uint c = 0; c < BLOCK_COLUMNS; ++c) {
        if (block < BLOCKS) {
          coopMatStoreNV(sum[r * BLOCK_COLUMNS + c], shared_sums, block * MATRIX_VECTORS, MATRIX_COLUMNS / 4, false);
        }
        barrier();
        const uint end = min(first_block + gl_NumSubgroups, BLOCKS) * MATRIX_VECTORS;
        for (uint i = first_block * MATRIX_VECTORS + gl_LocalInvocationID.x; i < end; i += kMatrixInvocations) {
          const uint from = i / MATRIX_VECTORS;  // block
          const uint matrix_row = i % MATRIX_VECTORS / (MATRIX_COLUMNS / 4);
          const uint row = (from / GROUP_COLUMNS * BLOCK_ROWS + r) * MATRIX_ROWS + matrix_row;
          const uint column = (from % GROUP_COLUMNS * BLOCK_COLUMNS + c) * MATRIX_COLUMNS + i % (MATRIX_COLUMNS / 4) * 4;
          finish_vector(first_pixel, row, group, (first_channel + column) / 4, shared_sums[i]);
        }
        barrier();
      }
    }
  }
}
