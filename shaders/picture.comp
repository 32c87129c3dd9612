// PICTURE_TO_TENSOR, four consecutive elements of the tensor per invocation, or four pixels of three channels each. The table
// holds the taps (the words of Tap) of all rows, then of all columns, then of chroma rows and columns; for each element of the batch.
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
layout(constant_id = 6) const bool CROPS = false;          // the batch has several elements, each with its own taps

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

#include "picture_taps.glsl"

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

// A row of an element of the batch.
struct Row {
  uint number;
  uint first_word;  // of the element's taps
};

Row row_of(uint line) {
  if (!CROPS) return Row(line, 0u);
  const uint crop = line / params.height;
  return Row(line - crop * params.height, crop * params.crop_words);
}

// Returns the taps of a row or column. `number`: a row's number, or the height plus a column's number. Table reads are costly, so
// callers reuse the result.
Taps taps_of(uint first_word, uint number) {
  Taps found;
  found.samples = tap_at(first_word + kTapWords * number);
  if (has_chroma()) found.chroma = tap_at(first_word + kTapWords * (params.height + params.width + number));
  return found;
}

vec4 samples_of(uint first_word, Taps row, uint x) {
  const Taps column = taps_of(first_word, params.height + x);
#ifdef QUADS
  const vec4 rgba = sample_at(FILTER, row.samples, column.samples, 0);
  return SOURCE == kSourceRgba ? rgba : vec4(rgba.rgb, 255.0);
#else
  const float first = sample_at(FILTER, row.samples, column.samples, 0);
  if (SOURCE == kSourceYuv || SOURCE == kSourceYuvTen) {
    if (!has_chroma()) return vec4(first, 128.0, 128.0, 255.0);
    const float cb = sample_at(FILTER, row.chroma, column.chroma, 0);
    return vec4(first, cb, sample_at(FILTER, row.chroma, column.chroma, params.cr_offset), 255.0);
  }
  if (SOURCE == kSourceGrey) return vec4(vec3(first), 255.0);
  const float alpha = SOURCE == kSourceRgba && CHANNELS == 4 ? sample_at(FILTER, row.samples, column.samples, 3) : 255.0;
  return vec4(first, sample_at(FILTER, row.samples, column.samples, 1), sample_at(FILTER, row.samples, column.samples, 2), alpha);
#endif
}

// Returns the values of all channels of a pixel, before quantization.
vec4 values_at(uint first_word, Taps row, uint x) {
  const vec4 s = samples_of(first_word, row, x);
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
  const uint line = pixel / params.width;
  const Row row = row_of(line);
  return values_at(row.first_word, taps_of(row.first_word, row.number), pixel - line * params.width);
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
  if (!NCHW && CHANNELS == 3) {  // four pixels are three times four elements
    if (4 * i >= params.pixels) return;
    vec4 a, b, c, d;
    if (ROWS_OF_FOURS) {
      const uint line = 4 * i / params.width;
      const uint x = 4 * i - line * params.width;
      const Row at = row_of(line);
      const Taps row = taps_of(at.first_word, at.number);
      a = values_at(at.first_word, row, x);
      b = values_at(at.first_word, row, x + 1);
      c = values_at(at.first_word, row, x + 2);
      d = values_at(at.first_word, row, x + 3);
    } else {
      a = values_of(4 * i);
      b = values_of(min(4 * i + 1, params.pixels - 1));
      c = values_of(min(4 * i + 2, params.pixels - 1));
      d = values_of(min(4 * i + 3, params.pixels - 1));
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
      const uint area = params.width * params.height;
      const uint plane = element / area;
      const uint crop = CROPS ? plane / CHANNELS : 0u;
      const uint channel = plane - crop * CHANNELS;
      result[k] = values_of(element - plane * area + crop * area)[channel];
    }
  }
  store(i, result);
}
