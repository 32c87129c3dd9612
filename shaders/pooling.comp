// AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D. One invocation writes four consecutive elements of the flat output. With FOUR_CHANNELS (NHWC,
// channels a multiple of 4) they are four channels of one pixel; otherwise each of them is pooled by itself, in either layout.
#version 450
#include "byte_sum.glsl"
#include "pooling_params.h"
#include "quantize.glsl"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;
layout(constant_id = 1) const uint OPERATION = 0;
layout(constant_id = 2) const bool FOUR_CHANNELS = true;

NNVK_PARAMS(PoolingParams)
#ifdef NNVK_INTEGER
layout(constant_id = 3) const bool LARGE = false;  // averages over more cells than 32-bit sums hold
#define VALUE4 ivec4
const int LEAST = -128;
NNVK_INT4_INPUT(0, in_x, TYPE)
#else
#define VALUE4 vec4
const float LEAST = -3.4028234663852886e38;
NNVK_FLOAT4_INPUT(0, in_x, TYPE)
#endif
NNVK_OUTPUT(1, out_y)

// Where an element of the output lies; `channel` counts quads with FOUR_CHANNELS.
struct Position {
  uint batch;
  uint y;
  uint x;
  uint channel;
};

Position position_of(uint index) {
  Position p;
  if (!FOUR_CHANNELS && params.nchw != 0) {
    p.x = index % params.out_width;
    index /= params.out_width;
    p.y = index % params.out_height;
    index /= params.out_height;
    p.channel = index % params.out_channels;
    p.batch = index / params.out_channels;
  } else {
    p.channel = index % params.out_channels;
    index /= params.out_channels;
    p.x = index % params.out_width;
    index /= params.out_width;
    p.y = index % params.out_height;
    p.batch = index / params.out_height;
  }
  return p;
}

VALUE4 load(uint index) { return FOUR_CHANNELS ? in_x(index) : VALUE4(NNVK_SCALAR_OF(in_x, index)); }

#ifdef NNVK_INTEGER
// The sum divided by the number of cells, half away from zero on the raw value.
ivec4 average(ivec4 sum, int cells) {
  return (sum + mix(ivec4(-cells / 2), ivec4(cells / 2), greaterThan(sum, ivec4(0)))) / cells;
}

// The same from a sum kept as quotient and remainder: a remainder of half the cells rounds up only when the sum is positive.
ivec4 average(ByteSums sums, uint cells) {
  const ivec4 lower = nnvk_floor_average(sums);
  const uvec4 half_up = uvec4(greaterThanEqual(sums.rest, uvec4(cells - cells / 2)));
  const uvec4 half_down = uvec4(greaterThan(sums.rest, uvec4(cells / 2)));
  return lower + ivec4(mix(half_down, half_up, greaterThanEqual(lower, ivec4(0))));
}

VALUE4 fold(VALUE4 value, VALUE4 x) { return OPERATION == kPoolingMax ? max(value, x) : value + x; }
VALUE4 finish(VALUE4 value, uint cells) { return OPERATION == kPoolingAverage ? average(value, int(cells)) : value; }
#else
VALUE4 fold(VALUE4 value, VALUE4 x) {
  if (OPERATION == kPoolingMax) return max(value, x);
  return value + (OPERATION == kPoolingL2 ? x * x : x);
}
VALUE4 finish(VALUE4 value, uint cells) {
  switch (OPERATION) {
    case kPoolingMax: return value;
    case kPoolingL2: return sqrt(value * (1.0 / float(cells)));
    default: return value / float(cells);
  }
}
#endif

VALUE4 limit(VALUE4 v) {
#ifdef NNVK_INTEGER
  return clamp(v, ivec4(int(params.lo)), ivec4(int(params.hi)));
#else
  return clamp_activation(v, params.lo, params.hi);
#endif
}

// The window is clipped to the image: cells outside take no part.
VALUE4 pool(Position p) {
  const int top = int(p.y) * params.stride_height - params.pad_top;
  const int left = int(p.x) * params.stride_width - params.pad_left;
  const uint first_row = uint(max(top, 0));
  const uint first_column = uint(max(left, 0));
  const uint end_row = uint(min(top + int(params.filter_height), int(params.in_height)));
  const uint end_column = uint(min(left + int(params.filter_width), int(params.in_width)));
  const uint image = p.batch * params.in_stride_batch + p.channel * params.in_stride_channel;
  VALUE4 value = OPERATION == kPoolingMax ? VALUE4(LEAST) : VALUE4(0);
  const uint cells = (end_row - first_row) * (end_column - first_column);
#ifdef NNVK_INTEGER
  ByteSums sums = ByteSums(uvec4(0), uvec4(0), uvec4(0), 0u);
#endif
  for (uint row = first_row; row < end_row; ++row) {
    uint cell = image + row * params.in_stride_row + first_column * params.in_stride_pixel;
    for (uint column = first_column; column < end_column; ++column) {
#ifdef NNVK_INTEGER
      if (LARGE) {
        nnvk_add(sums, load(cell), cells);
      } else {
        value = fold(value, load(cell));
      }
#else
      value = fold(value, load(cell));
#endif
      cell += params.in_stride_pixel;
    }
  }
#ifdef NNVK_INTEGER
  if (LARGE) {
    nnvk_flush(sums, cells);
    return limit(average(sums, cells));
  }
#endif
  return limit(finish(value, cells));
}

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.count) return;
  VALUE4 y;
  if (FOUR_CHANNELS) {
    y = pool(position_of(i));
  } else {
    // Behind the end of the tensor the batch would be too large: clamped, so that the window stays inside the image.
    for (uint lane = 0; lane < 4; ++lane) {
      Position p = position_of(4 * i + lane);
      p.batch = min(p.batch, params.batches - 1);
      y[lane] = pool(p).x;
    }
  }
#ifdef NNVK_INTEGER
  out_y_int4(TYPE, i, y);
#else
  out_y_float4(TYPE, i, y);
#endif
}
