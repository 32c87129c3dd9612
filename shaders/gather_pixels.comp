// GATHER_PIXELS, four consecutive elements of the tensor per invocation.
#version 450
#include "tensor.glsl"
#include "pixels_params.h"
#include "pixel_packing.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TO = 0;  // element type
layout(constant_id = 1) const bool PLANAR = false;

NNVK_PARAMS(GatherPixelsParams)
NNVK_TABLE(0, in_x)
NNVK_TABLE(1, in_table)
NNVK_OUTPUT(2, out_y)
#include "pixel_store.glsl"

// The channel that the invocation computes: the first four words of the table's channel.
uint encoding;
uint component;

float component_at(uint at) {
  const uint word = in_x(at >> 2);
  if (encoding == kEncodedByte) return float(bitfieldExtract(word, int(at & 3u) * 8, 8));
  if (encoding == kEncodedHalf) {
    return uintBitsToFloat(nnvk_widen_half(bitfieldExtract(word, int(at & 2u) * 8, 16)));
  }
  if (encoding == kEncodedFloat) return uintBitsToFloat(word);
  return unpacked(encoding == kEncodedFloats11And10 ? kFloats11And10 : kIntegers10And2, word, component);
}
#define SAMPLE float
#define FETCH(at) component_at(at)
#include "picture_taps.glsl"

Tap tap_at(uint word) {
  return Tap(in_table(word), in_table(word + 1), in_table_f(word + 2), in_table_f(word + 3), in_table_f(word + 4),
             in_table(word + 5));
}

float value_of(uint element) {
  const uint channel = PLANAR ? element / params.pixels : element % params.channels;
  const uint pixel = PLANAR ? element - channel * params.pixels : element / params.channels;
  const uint y = pixel / params.width;
  const uint x = pixel - y * params.width;
  const uvec4 source = in_table4(2 * channel);      // encoding, filter, component, first byte
  const uvec4 place = in_table4(2 * channel + 1);   // rows, columns, factor, offset
  encoding = source.x;
  component = source.z;
  const Tap row = tap_at(place.x + kGatheredTapWords * y);
  const Tap column = tap_at(place.y + kGatheredTapWords * x);
  const precise float product = sample_at(source.y, row, column, int(source.w)) * uintBitsToFloat(place.z);
  const precise float value = product + uintBitsToFloat(place.w);
  return value;
}

void main() {
  const uint i = nnvk_invocation();
  if (4 * i >= params.elements) return;
  vec4 values;
  for (uint k = 0; k < 4; ++k) values[k] = value_of(min(4 * i + k, params.elements - 1));
  store(i, values);
}
