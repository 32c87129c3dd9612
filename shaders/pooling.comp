// AVERAGE_POOL_2D and MAX_POOL_2D. One invocation writes four consecutive elements of the flat output. With FOUR_CHANNELS (NHWC,
// channels a multiple of 4) they are four channels of one pixel; otherwise each of them is pooled by itself, in either layout.
#version 450
#include "pooling_params.h"
#include "quantize.glsl"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;
layout(constant_id = 1) const uint OPERATION = 0;
layout(constant_id = 2) const bool FOUR_CHANNELS = true;

NNVK_PARAMS(PoolingParams)
#ifdef NNVK_INTEGER
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

// Sum divided by the number of cells: integers round half away from zero on the raw value.
VALUE4 average(VALUE4 sum, int cells) {
#ifdef NNVK_INTEGER
  return (sum + mix(ivec4(-cells / 2), ivec4(cells / 2), greaterThan(sum, ivec4(0)))) / cells;
#else
  return sum / float(cells);
#endif
}

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
  for (uint row = first_row; row < end_row; ++row) {
    uint cell = image + row * params.in_stride_row + first_column * params.in_stride_pixel;
    for (uint column = first_column; column < end_column; ++column) {
      value = OPERATION == kPoolingMax ? max(value, load(cell)) : value + load(cell);
      cell += params.in_stride_pixel;
    }
  }
  if (OPERATION == kPoolingAverage) value = average(value, int((end_row - first_row) * (end_column - first_column)));
  return limit(value);
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
