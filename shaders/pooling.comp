// AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D. One invocation writes four consecutive elements of the flat output. With
// FOUR_CHANNELS (NHWC, channels a multiple of 4) they are four channels of one pixel; else each element has its own window, in
// either layout. LANES invocations share the cells of large windows.
#version 450
#include "biased_sums.glsl"
#include "pooling_params.h"
#include "quantize.glsl"
#include "tensor.glsl"
#define NNVK_LANES_ID 5
#include "slice_lanes.glsl"

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

// The position of an output element; `channel` counts quads with FOUR_CHANNELS.
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
// Returns the sum divided by the number of cells, rounded half away from zero on the raw value.
ivec4 average_of(ivec4 sum, ivec4 cells) { return (sum + mix(-cells / 2, cells / 2, greaterThan(sum, ivec4(0)))) / cells; }

// Does the same for a sum stored as quotient and remainder: a remainder of half the cells rounds up only if the sum is positive.
ivec4 average_of(BiasedSums sums, uvec4 cells) {
  const ivec4 lower = nnvk_floor_average(sums);
  const uvec4 half_up = uvec4(greaterThanEqual(sums.rest, cells - cells / 2));
  const uvec4 half_down = uvec4(greaterThan(sums.rest, cells / 2));
  return lower + ivec4(mix(half_down, half_up, greaterThanEqual(lower, ivec4(0))));
}

VALUE4 fold(VALUE4 value, VALUE4 x) {
  if (OPERATION == kPoolingMax) return max(value, x);
  return value + (MODE == kPoolingPartial ? x + 128 : x);
}
VALUE4 finish(VALUE4 value, uvec4 cells) { return OPERATION == kPoolingAverage ? average_of(value, ivec4(cells)) : value; }
#else
// Folds x into the value. NaN is never a maximum; max() would not guarantee that.
VALUE4 fold(VALUE4 value, VALUE4 x) {
  if (OPERATION == kPoolingMax) return mix(value, x, greaterThan(x, value));
  return value + (OPERATION == kPoolingL2 ? x * x : x);
}
VALUE4 finish(VALUE4 value, uvec4 cells) {
  switch (OPERATION) {
    case kPoolingMax: return value;
    case kPoolingL2: return sqrt(value * (1.0 / vec4(cells)));
    default: return value / vec4(cells);
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

// A window clipped to the image: cells outside do not count.
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

// Combines the results of two lanes; none of them is NaN for a maximum.
VALUE4 combine(VALUE4 a, VALUE4 b) { return OPERATION == kPoolingMax ? max(a, b) : a + b; }
NNVK_LANES(value_of_lanes, VALUE4, combine, )

VALUE4 start() { return OPERATION == kPoolingMax ? VALUE4(LEAST) : VALUE4(0); }

// The cells of a window that are folded together, in row-major order.
struct Cells {
  uint begin;
  uint end;
};
const Cells ALL_CELLS = Cells(0, 0xFFFFFFFFu);

// Folds this lane's share of these cells of a window. One lane folds all cells, whatever `which` says.
VALUE4 share_of(Window w, Cells which) {
  VALUE4 value = start();
  if (LANES > 1) {
    const uint end = min(which.end, w.rows * w.columns);
    for (uint cell = which.begin + nnvk_lane(); cell < end; cell += LANES) {
      const uint row = cell / w.columns;
      const uint column = cell - row * w.columns;
      value = fold(value, load(w.corner + row * params.in_stride_row + column * params.in_stride_pixel));
    }
    return value;
  }
  for (uint row = 0; row < w.rows; ++row) {
    uint cell = w.corner + row * params.in_stride_row;
    for (uint column = 0; column < w.columns; ++column) {
      value = fold(value, load(cell));
      cell += params.in_stride_pixel;
    }
  }
  return value;
}

// Folds a chunk of the cells in row-major order; chunks past the end of a clipped window are empty.
VALUE4 chunk_of(Position p, uint chunk) {
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

// Returns the position for a lane. It clamps the batch, because lanes past the end of the tensor would otherwise read images that
// do not exist.
Position position_of_lane(uint quad, uint lane) {
  Position p = position_of(4 * quad + lane);
  p.batch = min(p.batch, params.batches - 1);
  return p;
}

// The windows of the four elements of a quad.
struct Windows {
  uvec4 corner;
  uvec4 rows;
  uvec4 columns;
};

Windows windows_of(uint quad) {
  Windows w;
  for (uint lane = 0; lane < 4; ++lane) {
    const Window one = window_of(position_of_lane(quad, lane));
    w.corner[lane] = one.corner;
    w.rows[lane] = one.rows;
    w.columns[lane] = one.columns;
  }
  return w;
}

uint largest(uvec4 v) { return max(max(v.x, v.y), max(v.z, v.w)); }

// Folds one cell of every window; if it lies outside, a cell inside is read and not counted.
VALUE4 fold_cells(VALUE4 value, Windows w, uvec4 row, uvec4 column) {
  const uvec4 inside = uvec4(lessThan(row, w.rows)) & uvec4(lessThan(column, w.columns));
  const uvec4 at = w.corner + inside * (row * params.in_stride_row + column * params.in_stride_pixel);
  const VALUE4 x = VALUE4(NNVK_SCALAR_OF(in_x, at.x), NNVK_SCALAR_OF(in_x, at.y), NNVK_SCALAR_OF(in_x, at.z), NNVK_SCALAR_OF(in_x, at.w));
  return mix(value, fold(value, x), bvec4(inside));
}

// Returns this lane's part of the pooled values: the sum or maximum over its share of these cells of four windows. One lane folds
// all cells, whatever `which` says.
VALUE4 share_of(Windows w, Cells which) {
  VALUE4 value = start();
  if (LANES > 1) {
    const uvec4 width = max(w.columns, uvec4(1));
    const uint end = min(which.end, largest(w.rows * w.columns));
    for (uint cell = which.begin + nnvk_lane(); cell < end; cell += LANES) {
      const uvec4 row = cell / width;
      value = fold_cells(value, w, row, cell - row * width);
    }
    return value;
  }
  const uint rows = largest(w.rows);
  const uint columns = largest(w.columns);
  for (uint row = 0; row < rows; ++row) {
    for (uint column = 0; column < columns; ++column) value = fold_cells(value, w, uvec4(row), uvec4(column));
  }
  return value;
}

// Returns how many cells the windows of a quad have.
uvec4 cells_of(uint quad) {
  if (FOUR_CHANNELS) {
    const Window w = window_of(position_of(quad));
    return uvec4(w.rows * w.columns);
  }
  const Windows w = windows_of(quad);
  return w.rows * w.columns;
}

VALUE4 combine_chunks(uint quad) {
  const uvec4 cells = cells_of(quad);
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
  if (OPERATION == kPoolingAverage) return limit(average_of(sums, cells));
  return limit(value);
#else
  return limit(finish(value, cells));
#endif
}

VALUE4 pool(uint quad) {
  VALUE4 value;
  uvec4 cells;
  if (FOUR_CHANNELS) {
    const Window w = window_of(position_of(quad));
    cells = uvec4(w.rows * w.columns);
    value = share_of(w, ALL_CELLS);
  } else {
    const Windows w = windows_of(quad);
    cells = w.rows * w.columns;
    value = share_of(w, ALL_CELLS);
  }
  if (LANES > 1) value = value_of_lanes(value);
  return limit(finish(value, cells));
}

VALUE4 pool_chunk(uint quad, uint chunk) {
  if (LANES > 1) {
    const Cells cells = Cells(chunk * params.chunk, (chunk + 1) * params.chunk);
    return value_of_lanes(FOUR_CHANNELS ? share_of(window_of(position_of(quad)), cells) : share_of(windows_of(quad), cells));
  }
  if (FOUR_CHANNELS) return chunk_of(position_of(quad), chunk);
  VALUE4 value;
  for (uint lane = 0; lane < 4; ++lane) value[lane] = chunk_of(position_of_lane(quad, lane), chunk).x;
  return value;
}

void main() {
  const bool exists = nnvk_fold() < params.count;
  if (LANES == 1 && !exists) return;
  const uint i = min(nnvk_fold(), params.count - 1);  // lanes past the end repeat the last fold, for the barriers
  const uint chunk = MODE == kPoolingPartial ? i / params.quads : 0;
  const uint quad = i - chunk * params.quads;
  VALUE4 y;
  switch (MODE) {
    case kPoolingPartial: y = pool_chunk(quad, chunk); break;
    case kPoolingCombine: y = combine_chunks(quad); break;
    default: y = pool(quad);
  }
  if (nnvk_lane() != 0 || !exists) return;
#ifdef NNVK_INTEGER
  out_y_int4(OUT_TYPE, i, y);
#else
  out_y_float4(OUT_TYPE, i, y);
#endif
}
