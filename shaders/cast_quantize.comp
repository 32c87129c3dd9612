// Conversions between element types, four consecutive elements per invocation: QUANTIZE, DEQUANTIZE and CAST. FLOAT_IN /
// FLOAT_OUT: the input / output is FLOAT32 or FLOAT16, else an integer type. PER_CHANNEL: DEQUANTIZE with one scale per channel.
#version 450
#include "tensor.glsl"
#include "cast_quantize_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint IN_TYPE = 0;
layout(constant_id = 1) const uint OUT_TYPE = 0;
#if defined(FLOAT_IN) && !defined(FLOAT_OUT)
layout(constant_id = 2) const bool QUANTIZE = false;  // else CAST, which truncates
#endif

NNVK_PARAMS(CastParams)
#ifdef FLOAT_IN
NNVK_FLOAT4_INPUT(0, in_x, IN_TYPE)
#else
NNVK_INT4_INPUT(0, in_x, IN_TYPE)
#endif
NNVK_OUTPUT(1, out_y)
#ifdef PER_CHANNEL
NNVK_TABLE(2, scales)
#endif

ivec4 lower_limit(uint type) { return ivec4(type == kElementUint8 ? 0 : type == kElementInt8 ? -128 : int(0x80000000u)); }
ivec4 upper_limit(uint type) { return ivec4(type == kElementUint8 ? 255 : type == kElementInt8 ? 127 : 0x7FFFFFFF); }

#ifdef FLOAT_IN
// Rounds toward zero; values beyond 32 bits saturate, and NaN becomes 0.
ivec4 truncate_saturated(vec4 x) {
  const ivec4 inside = ivec4(clamp(x, -2147483648.0, 2147483520.0));
  const ivec4 saturated = mix(inside, ivec4(0x7FFFFFFF), greaterThanEqual(x, vec4(2147483648.0)));
  return mix(saturated, ivec4(0), isnan(x));
}

// Returns the nearest integer, halves away from zero. Adding 0.5 would round up the largest float below one half.
vec4 round_half_away(vec4 x) {
  const vec4 whole = trunc(x);
  return whole + mix(vec4(0.0), sign(x), greaterThanEqual(abs(x - whole), vec4(0.5)));
}

ivec4 quantize(vec4 x) {
  const vec4 steps = round_half_away(clamp(x / params.scale, -1048576.0, 1048576.0));
  return mix(ivec4(steps) + params.zero_point, upper_limit(OUT_TYPE), isnan(x));  // NaN: the same result as the reference's clamp
}
#endif

#ifdef PER_CHANNEL
vec4 channel_scales(uint i4) {
  const uvec4 element = 4 * i4 + uvec4(0, 1, 2, 3);
  const uvec4 channel = (element / params.inner) % params.channels;
  return vec4(scales_f(channel.x), scales_f(channel.y), scales_f(channel.z), scales_f(channel.w));
}
#endif

void main() {
  const uint i = nnvk_invocation();
  if (4 * i >= params.elements) return;
#if defined(FLOAT_IN) && defined(FLOAT_OUT)
  out_y_float4(OUT_TYPE, i, in_x(i));
#elif defined(FLOAT_IN)
  const vec4 x = in_x(i);
  const ivec4 y = QUANTIZE ? quantize(x) : truncate_saturated(x);
  out_y_int4(OUT_TYPE, i, clamp(y, lower_limit(OUT_TYPE), upper_limit(OUT_TYPE)));
#elif defined(FLOAT_OUT)
#ifdef PER_CHANNEL
  out_y_float4(OUT_TYPE, i, channel_scales(i) * vec4(in_x(i)));
#else
  out_y_float4(OUT_TYPE, i, params.scale * vec4(in_x(i) - params.zero_point));
#endif
#else
  out_y_int4(OUT_TYPE, i, clamp(in_x(i), lower_limit(OUT_TYPE), upper_limit(OUT_TYPE)));
#endif
}
