// PICTURE_TO_TENSOR, four consecutive elements of the tensor per invocation, or four pixels of three channels each. The table
// holds the taps (low, high, bits of the weight of high) of all rows, then of all columns, then of chroma rows and columns.
// QUADS: four bytes per pixel, read at once.
#version 450
#include "tensor.glsl"
#include "picture_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;      // of the tensor
layout(constant_id = 1) const uint CHANNELS = 3;  // of the tensor
layout(constant_id = 2) const bool NCHW = false;
layout(constant_id = 3) const uint SOURCE = 0;
layout(constant_id = 4) const bool NEAREST = false;

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

// Operation for operation what the reference computes: contraction would change 8-bit results. `row`, `column`: words of taps.
SAMPLE sample_at(uint row, uint column, int shift) {
  const uint above = uint(int(taps(row)) + shift);
  const uint left = taps(column);
  const SAMPLE above_left = FETCH(above + left);
  if (NEAREST) return above_left;
  const uint below = uint(int(taps(row + 1)) + shift);
  const uint right = taps(column + 1);
  const float down = taps_f(row + 2);
  const float across = taps_f(column + 2);
  const SAMPLE below_left = FETCH(below + left);
  const precise SAMPLE upper = above_left + (FETCH(above + right) - above_left) * across;
  const precise SAMPLE lower = below_left + (FETCH(below + right) - below_left) * across;
  const precise SAMPLE between = upper + (lower - upper) * down;
  return between;
}

vec4 samples_of(uint pixel) {
  const uint y = pixel / params.width;
  const uint x = pixel - y * params.width;
  const uint row = 3 * y;
  const uint column = 3 * (params.height + x);
#ifdef QUADS
  const vec4 rgba = sample_at(row, column, 0);
  return SOURCE == kSourceRgba ? rgba : vec4(rgba.rgb, 255.0);
#else
  if (SOURCE == kSourceYuv || SOURCE == kSourceYuvTen) {
    const float luma = sample_at(row, column, 0);
    if (CHANNELS == 1) return vec4(luma, 128.0, 128.0, 255.0);
    const uint chroma = 3 * (params.height + params.width);
    const float cb = sample_at(chroma + row, chroma + column, 0);
    return vec4(luma, cb, sample_at(chroma + row, chroma + column, params.cr_offset), 255.0);
  }
  const float alpha = SOURCE == kSourceRgba && CHANNELS == 4 ? sample_at(row, column, 3) : 255.0;
  return vec4(sample_at(row, column, 0), sample_at(row, column, 1), sample_at(row, column, 2), alpha);
#endif
}

// The values of all channels of a pixel, before quantization.
vec4 values_of(uint pixel) {
  const vec4 s = samples_of(pixel);
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

// Elements 4 i to 4 i + 3 of the tensor.
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
    const vec4 a = values_of(4 * i);
    const vec4 b = values_of(min(4 * i + 1, pixels - 1));
    const vec4 c = values_of(min(4 * i + 2, pixels - 1));
    const vec4 d = values_of(min(4 * i + 3, pixels - 1));
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
