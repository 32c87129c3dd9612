// AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D. One invocation writes four consecutive elements of the flat output. With FOUR_CHANNELS (NHWC,
// channels a multiple of 4) they are four channels of one pixel; otherwise each of them is pooled by itself, in either layout.
#version 450
#include "biased_sums.glsl"
#include "pooling_params.h"
#include "quantize.glsl"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;
layout(constant_id = 1) const uint OUT_TYPE = 0;  // differs from TYPE for partial results
layout(constant_id = 2) const uint OPERATION = 0;
layout(constant_id = 3) const bool FOUR_CHANNELS = true;
layout(constant_id = 4) const uint MODE = 0;

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

#ifdef NNVK_INTEGER
// The sum divided by the number of cells, half away from zero on the raw value.
ivec4 average(ivec4 sum, int cells) {
  return (sum + mix(ivec4(-cells / 2), ivec4(cells / 2), greaterThan(sum, ivec4(0)))) / cells;
}

// The same from a sum kept as quotient and remainder: a remainder of half the cells rounds up only when the sum is positive.
ivec4 average(BiasedSums sums, uvec4 cells) {
  const ivec4 lower = nnvk_floor_average(sums);
  const uvec4 half_up = uvec4(greaterThanEqual(sums.rest, cells - cells / 2));
  const uvec4 half_down = uvec4(greaterThan(sums.rest, cells / 2));
  return lower + ivec4(mix(half_down, half_up, greaterThanEqual(lower, ivec4(0))));
}

VALUE4 fold(VALUE4 value, VALUE4 x) {
  if (OPERATION == kPoolingMax) return max(value, x);
  return value + (MODE == kPoolingPartial ? x + 128 : x);
}
VALUE4 finish(VALUE4 value, uint cells) { return OPERATION == kPoolingAverage ? average(value, int(cells)) : value; }
#else
// A NaN is no maximum: max() would leave that open.
VALUE4 fold(VALUE4 value, VALUE4 x) {
  if (OPERATION == kPoolingMax) return mix(value, x, greaterThan(x, value));
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

// A window clipped to the image: cells outside take no part.
struct Window {
  uint corner;  // index of its first cell
  uint rows;
  uint columns;
};

Window window_of(Position p) {
  const int top = int(p.y) * params.stride_height - params.pad_top;
  const int left = int(p.x) * params.stride_width - params.pad_left;
  const uint first_row = uint(max(top, 0));
  const uint first_column = uint(max(left, 0));
  Window w;
  w.rows = uint(min(top + int(params.filter_height), int(params.in_height))) - first_row;
  w.columns = uint(min(left + int(params.filter_width), int(params.in_width))) - first_column;
  w.corner = p.batch * params.in_stride_batch + p.channel * params.in_stride_channel + first_row * params.in_stride_row +
             first_column * params.in_stride_pixel;
  return w;
}

VALUE4 start() { return OPERATION == kPoolingMax ? VALUE4(LEAST) : VALUE4(0); }

VALUE4 pool(Position p) {
  const Window w = window_of(p);
  VALUE4 value = start();
  for (uint row = 0; row < w.rows; ++row) {
    uint cell = w.corner + row * params.in_stride_row;
    for (uint column = 0; column < w.columns; ++column) {
      value = fold(value, load(cell));
      cell += params.in_stride_pixel;
    }
  }
  return limit(finish(value, w.rows * w.columns));
}

// A chunk of the cells in row-major order; chunks behind the end of a clipped window are empty.
VALUE4 pool_chunk(Position p, uint chunk) {
  const Window w = window_of(p);
  const uint cells = w.rows * w.columns;
  const uint begin = min(chunk * params.chunk, cells);
  uint left = min(params.chunk, cells - begin);
  uint row = begin / w.columns;
  uint skipped = begin - row * w.columns;
  VALUE4 value = start();
  while (left > 0) {
    const uint length = min(left, w.columns - skipped);
    uint cell = w.corner + row * params.in_stride_row + skipped * params.in_stride_pixel;
    for (uint n = 0; n < length; ++n) {
      value = fold(value, load(cell));
      cell += params.in_stride_pixel;
    }
    left -= length;
    skipped = 0;
    ++row;
  }
  return value;
}

// Behind the end of the tensor the batch would be too large: clamped, so that the window stays inside the image.
Position position_of_lane(uint quad, uint lane) {
  Position p = position_of(4 * quad + lane);
  p.batch = min(p.batch, params.batches - 1);
  return p;
}

VALUE4 combine(uint quad) {
  uvec4 cells;
  if (FOUR_CHANNELS) {
    const Window w = window_of(position_of(quad));
    cells = uvec4(w.rows * w.columns);
  } else {
    for (uint lane = 0; lane < 4; ++lane) {
      const Window w = window_of(position_of_lane(quad, lane));
      cells[lane] = w.rows * w.columns;
    }
  }
  VALUE4 value = start();
#ifdef NNVK_INTEGER
  BiasedSums sums = nnvk_no_sums();
#endif
  for (uint chunk = 0; chunk < params.chunks; ++chunk) {
    const VALUE4 x = in_x(chunk * params.quads + quad);
#ifdef NNVK_INTEGER
    if (OPERATION == kPoolingAverage) nnvk_add_part(sums, uvec4(x), cells);
#endif
    value = OPERATION == kPoolingMax ? max(value, x) : value + x;
  }
#ifdef NNVK_INTEGER
  if (OPERATION == kPoolingAverage) return limit(average(sums, cells));
  return limit(value);
#else
  VALUE4 y;
  for (uint lane = 0; lane < 4; ++lane) y[lane] = finish(value, cells[lane])[lane];
  return limit(y);
#endif
}

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.count) return;
  const uint chunk = MODE == kPoolingPartial ? i / params.quads : 0;
  const uint quad = i - chunk * params.quads;
  VALUE4 y;
  if (MODE == kPoolingCombine) {
    y = combine(quad);
  } else if (FOUR_CHANNELS) {
    const Position p = position_of(quad);
    y = MODE == kPoolingPartial ? pool_chunk(p, chunk) : pool(p);
  } else {
    for (uint lane = 0; lane < 4; ++lane) {
      const Position p = position_of_lane(quad, lane);
      y[lane] = (MODE == kPoolingPartial ? pool_chunk(p, chunk) : pool(p)).x;
    }
  }
#ifdef NNVK_INTEGER
  out_y_int4(OUT_TYPE, i, y);
#else
  out_y_float4(OUT_TYPE, i, y);
#endif
}
