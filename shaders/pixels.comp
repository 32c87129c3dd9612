// CONVERT_PIXELS, four consecutive elements of the result per invocation. INTEGERS: the kernel reads bytes or packed pixels, else
// floats.
#version 450
#include "tensor.glsl"
#include "pixels_params.h"
#include "pixel_packing.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint FROM = 0;  // element types
layout(constant_id = 1) const uint TO = 0;
layout(constant_id = 2) const uint FROM_CHANNELS = 4;
layout(constant_id = 3) const uint TO_CHANNELS = 4;
layout(constant_id = 4) const bool FROM_PLANAR = false;
layout(constant_id = 5) const bool TO_PLANAR = false;
layout(constant_id = 6) const uint PACKING = 0;  // of the side that is kElementInt32

NNVK_PARAMS(PixelsParams)
#ifdef INTEGERS
NNVK_INT_INPUT(0, in_x, FROM)
#else
NNVK_FLOAT_INPUT(0, in_x, FROM)
#endif
NNVK_OUTPUT(1, out_y)
#include "pixel_store.glsl"

float source_at(uint pixel, uint source) {
#ifdef INTEGERS
  if (FROM == kElementInt32) return unpacked(PACKING, uint(in_x(pixel)), source);
#endif
  return float(in_x(FROM_PLANAR ? source * params.pixels + pixel : pixel * FROM_CHANNELS + source));
}

// Computes as the reference does. `precise` forbids contraction to fused multiply-adds, which would change 8-bit results.
float value_at(uint pixel, uint channel) {
  const uint source = params.source[channel];
  if (source == kNoSource) return params.offset[channel];
  const precise float product = source_at(pixel, source) * params.factor[channel];
  const precise float value = product + params.offset[channel];
  return value;
}

float value_of(uint element) {
  const uint channel = TO_PLANAR ? element / params.pixels : element % TO_CHANNELS;
  return value_at(TO_PLANAR ? element - channel * params.pixels : element / TO_CHANNELS, channel);
}

uint packed_pixel(uint pixel) {
  uint word = 0;
  for (uint c = 0; c < TO_CHANNELS; ++c) word |= packed_channel(PACKING, value_at(pixel, c), c);
  return word;
}

void main() {
  const uint i = nnvk_invocation();
  if (4 * i >= params.elements) return;
  if (TO == kElementInt32) {
    uvec4 words;
    for (uint k = 0; k < 4; ++k) words[k] = packed_pixel(min(4 * i + k, params.elements - 1));
    out_y_words4(i, words);
    return;
  }
  vec4 values;
  for (uint k = 0; k < 4; ++k) values[k] = value_of(min(4 * i + k, params.elements - 1));
  store(i, values);
}
