// PICTURE_TO_TENSOR, four consecutive elements of the tensor per invocation, or four pixels of three channels each. The table
// holds the taps (the words of Tap) of all rows, then of all columns, then of chroma rows and columns.
// QUADS: four bytes per pixel, read at once.
#version 450
#include "tensor.glsl"
#include "picture_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;      // of the tensor
layout(constant_id = 1) const uint CHANNELS = 3;  // of the tensor
layout(constant_id = 2) const bool NCHW = false;
layout(constant_id = 3) const uint SOURCE = 0;
layout(constant_id = 4) const uint FILTER = 0;
layout(constant_id = 5) const bool ROWS_OF_FOURS = false;  // the width is a multiple of four

NNVK_PARAMS(PictureParams)
#ifdef QUADS
NNVK_INT4_INPUT(0, in_x, kElementUint8)
#define SAMPLE vec4
#define FETCH(at) vec4(in_x((at) >> 2))
#else
NNVK_INT_INPUT(0, in_x, kElementUint8)
#define SAMPLE float
#define FETCH(at) value_at(at)
#endif
NNVK_TABLE(1, taps)
NNVK_OUTPUT(2, out_y)

#ifndef QUADS
float value_at(uint at) {
  if (SOURCE != kSourceYuvTen) return float(in_x(at));
  return float((in_x(at) | in_x(at + 1) << 8) >> 6) * 0.25;  // exact
}
#endif

// The sources of the samples of a row or column.
struct Tap {
  uint low;
  uint high;
  float weight;  // of high
  // For kFilterArea only, as in PictureTap:
  float low_weight;
  float scale;
  uint stride;
};
const uint kTapWords = FILTER == kFilterArea ? 6u : 3u;  // of a tap, in the table

// `samples`: the taps for all channels, or for luma in YUV. `chroma`: those for chroma, if the kernel reads any.
struct Taps {
  Tap samples;
  Tap chroma;
};

bool has_chroma() { return CHANNELS != 1 && (SOURCE == kSourceYuv || SOURCE == kSourceYuvTen); }

Tap tap_at(uint word) {
  Tap tap = Tap(taps(word), 0u, 0.0, 0.0, 0.0, 0u);
  if (FILTER == kFilterNearest) return tap;
  tap.high = taps(word + 1);
  tap.weight = taps_f(word + 2);
  if (FILTER != kFilterArea) return tap;
  tap.low_weight = taps_f(word + 3);
  tap.scale = taps_f(word + 4);
  tap.stride = taps(word + 5);
  return tap;
}

// Returns the taps of a row or column. `number`: a row's number, or the height plus a column's number. Table reads are costly, so
// callers reuse the result.
Taps taps_of(uint number) {
  Taps found;
  found.samples = tap_at(kTapWords * number);
  if (has_chroma()) found.chroma = tap_at(kTapWords * (params.height + params.width + number));
  return found;
}

float weight_at(Tap tap, uint at) { return at == tap.low ? tap.low_weight : at == tap.high ? tap.weight : 1.0; }

// Returns the mean of an area. It has one FETCH, so that compilers need little time: an invocation reads up to twelve areas.
// The loops' conditions stand at the top, because lavapipe 22.3 returned wrong sums for loops with a break at the end.
SAMPLE area_mean(Tap row, Tap column, int shift) {
  precise SAMPLE sum = SAMPLE(0.0);
  for (uint down = row.low; down <= row.high; down += row.stride) {
    precise SAMPLE across_sum = SAMPLE(0.0);
    for (uint across = column.low; across <= column.high; across += column.stride) {
      across_sum += FETCH(uint(int(down) + shift) + across) * weight_at(column, across);
    }
    sum += column.scale * across_sum * weight_at(row, down);
  }
  const precise SAMPLE mean = row.scale * sum;
  return mean;
}

// Computes as the reference does. `precise` forbids contraction to fused multiply-adds, which would change 8-bit results.
SAMPLE sample_at(Tap row, Tap column, int shift) {
  if (FILTER == kFilterArea) return area_mean(row, column, shift);
  const uint above = uint(int(row.low) + shift);
  const SAMPLE above_left = FETCH(above + column.low);
  if (FILTER == kFilterNearest) return above_left;
  const uint below = uint(int(row.high) + shift);
  const SAMPLE below_left = FETCH(below + column.low);
  const precise SAMPLE upper = above_left + (FETCH(above + column.high) - above_left) * column.weight;
  const precise SAMPLE lower = below_left + (FETCH(below + column.high) - below_left) * column.weight;
  const precise SAMPLE between = upper + (lower - upper) * row.weight;
  return between;
}

vec4 samples_of(Taps row, uint x) {
  const Taps column = taps_of(params.height + x);
#ifdef QUADS
  const vec4 rgba = sample_at(row.samples, column.samples, 0);
  return SOURCE == kSourceRgba ? rgba : vec4(rgba.rgb, 255.0);
#else
  const float first = sample_at(row.samples, column.samples, 0);
  if (SOURCE == kSourceYuv || SOURCE == kSourceYuvTen) {
    if (!has_chroma()) return vec4(first, 128.0, 128.0, 255.0);
    const float cb = sample_at(row.chroma, column.chroma, 0);
    return vec4(first, cb, sample_at(row.chroma, column.chroma, params.cr_offset), 255.0);
  }
  const float alpha = SOURCE == kSourceRgba && CHANNELS == 4 ? sample_at(row.samples, column.samples, 3) : 255.0;
  return vec4(first, sample_at(row.samples, column.samples, 1), sample_at(row.samples, column.samples, 2), alpha);
#endif
}

// Returns the values of all channels of a pixel, before quantization.
vec4 values_at(Taps row, uint x) {
  const vec4 s = samples_of(row, x);
  const precise vec3 d = s.rgb - vec3(params.offset[0], params.offset[1], params.offset[2]);
  vec4 values;
  for (uint c = 0; c < CHANNELS; ++c) {
    float channel = s.a;
    if (c < 3) {
      const uint m = 3 * c;
      const precise float sum = params.matrix[m] * d.x + params.matrix[m + 1] * d.y + params.matrix[m + 2] * d.z;
      channel = clamp(sum, 0.0, 255.0);
    }
    const precise float value = (channel - params.mean[c]) * params.factor[c];
    values[c] = value;
  }
  return values;
}

vec4 values_of(uint pixel) {
  const uint y = pixel / params.width;
  return values_at(taps_of(y), pixel - y * params.width);
}

// Stores elements 4 i to 4 i + 3 of the tensor.
void store(uint i, vec4 values) {
  if (4 * i >= params.elements) return;
  if (TYPE == kElementUint8 || TYPE == kElementInt8) {
    const precise vec4 rounded = floor(values + params.zero_point + 0.5);
    out_y_int4(TYPE, i, ivec4(clamp(rounded, params.lowest, params.highest)));
  } else {
    out_y_float4(TYPE, i, values);
  }
}

void main() {
  const uint i = nnvk_invocation();
  const uint pixels = params.width * params.height;
  if (!NCHW && CHANNELS == 3) {  // four pixels are three times four elements
    if (4 * i >= pixels) return;
    vec4 a, b, c, d;
    if (ROWS_OF_FOURS) {
      const uint y = 4 * i / params.width;
      const uint x = 4 * i - y * params.width;
      const Taps row = taps_of(y);
      a = values_at(row, x);
      b = values_at(row, x + 1);
      c = values_at(row, x + 2);
      d = values_at(row, x + 3);
    } else {
      a = values_of(4 * i);
      b = values_of(min(4 * i + 1, pixels - 1));
      c = values_of(min(4 * i + 2, pixels - 1));
      d = values_of(min(4 * i + 3, pixels - 1));
    }
    store(3 * i, vec4(a.rgb, b.r));
    store(3 * i + 1, vec4(b.gb, c.rg));
    store(3 * i + 2, vec4(c.b, d.rgb));
    return;
  }
  if (4 * i >= params.elements) return;
  vec4 result;
  if (!NCHW && CHANNELS == 4) {
    result = values_of(i);
  } else {
    for (uint k = 0; k < 4; ++k) {
      const uint element = min(4 * i + k, params.elements - 1);
      const uint channel = element / pixels;
      result[k] = values_of(element - channel * pixels)[channel];
    }
  }
  store(i, result);
}
