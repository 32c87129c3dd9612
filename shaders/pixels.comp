// CONVERT_PIXELS, four consecutive elements of the result per invocation. BYTES: the kernel reads bytes, else floats.
#version 450
#include "tensor.glsl"
#include "pixels_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint FROM = 0;  // element types
layout(constant_id = 1) const uint TO = 0;
layout(constant_id = 2) const uint FROM_CHANNELS = 4;
layout(constant_id = 3) const uint TO_CHANNELS = 4;
layout(constant_id = 4) const bool FROM_PLANAR = false;
layout(constant_id = 5) const bool TO_PLANAR = false;

NNVK_PARAMS(PixelsParams)
#ifdef BYTES
NNVK_INT_INPUT(0, in_x, FROM)
#else
NNVK_FLOAT_INPUT(0, in_x, FROM)
#endif
NNVK_OUTPUT(1, out_y)

// Computes as the reference does. `precise` forbids contraction to fused multiply-adds, which would change 8-bit results.
float value_of(uint element) {
  const uint channel = TO_PLANAR ? element / params.pixels : element % TO_CHANNELS;
  const uint pixel = TO_PLANAR ? element - channel * params.pixels : element / TO_CHANNELS;
  const uint source = params.source[channel];
  if (source == kNoSource) return params.offset[channel];
  const uint at = FROM_PLANAR ? source * params.pixels + pixel : pixel * FROM_CHANNELS + source;
  const precise float product = float(in_x(at)) * params.factor[channel];
  const precise float value = product + params.offset[channel];
  return value;
}

void main() {
  const uint i = nnvk_invocation();
  if (4 * i >= params.elements) return;
  vec4 values;
  for (uint k = 0; k < 4; ++k) values[k] = value_of(min(4 * i + k, params.elements - 1));
  if (TO == kElementUint8 || TO == kElementInt8) {
    const precise vec4 nearest = floor(values + 0.5);
    const bvec4 is_above = greaterThanEqual(nearest, vec4(params.lowest));  // not NaN
    out_y_int4(TO, i, ivec4(mix(vec4(params.lowest), min(nearest, params.highest), is_above)));
  } else {
    out_y_float4(TO, i, values);
  }
}
