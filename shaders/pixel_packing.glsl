// Pixels in words of 32 bits, as core/operations/parameters/pixel_conversion.h defines them (PixelPacking).
#ifndef NNVK_SHADERS_PIXEL_PACKING_GLSL
#define NNVK_SHADERS_PIXEL_PACKING_GLSL

#include "float_bits.glsl"
#include "pixels_params.h"

// Returns the number of bits of a channel.
uint channel_bits(uint packing, uint channel) {
  if (packing == kFloats11And10) return channel == 2u ? 10u : 11u;
  return channel == 3u ? 2u : 10u;
}
uint first_bit(uint packing, uint channel) { return channel * (packing == kFloats11And10 ? 11u : 10u); }

float unpacked(uint packing, uint word, uint channel) {
  const uint bits = channel_bits(packing, channel);
  const uint number = bitfieldExtract(word, int(first_bit(packing, channel)), int(bits));
  return packing == kFloats11And10 ? uintBitsToFloat(nnvk_widen_half(number << (15u - bits))) : float(number);
}

// Returns the nearest float without sign. Decisions are made by bits, because drivers may flush denormals and know no NaN.
uint float_without_sign(float value, uint mantissa_bits) {
  const uint bits = floatBitsToUint(value);
  const uint infinity = 31u << mantissa_bits;
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return infinity | (1u << (mantissa_bits - 1u));
  if ((bits & 0x80000000u) != 0u) return 0u;
  if (bits == 0x7F800000u) return infinity;
  if (bits < 0x38800000u) {
    // Adding this number rounds to the unit of the smallest values. Half of that unit and less is 0: denormals are slow.
    const float unit = uintBitsToFloat((136u - mantissa_bits) << 23);
    const precise float shifted = (bits <= (112u - mantissa_bits) << 23 ? 0.0 : value) + unit;
    return floatBitsToUint(shifted) - floatBitsToUint(unit);
  }
  const uint dropped = 23u - mantissa_bits;
  const uint rebased = bits - (112u << 23);
  const uint rounded = (rebased + (1u << (dropped - 1u)) - 1u + ((rebased >> dropped) & 1u)) >> dropped;
  return min(rounded, infinity - 1u);
}

uint packed_channel(uint packing, float value, uint channel) {
  const uint bits = channel_bits(packing, channel);
  if (packing == kFloats11And10) return float_without_sign(value, bits - 5u) << first_bit(packing, channel);
  const precise float nearest = floor(value + 0.5);
  const uint number = nearest >= 0.0 ? uint(min(nearest, float((1u << bits) - 1u))) : 0u;
  return number << first_bit(packing, channel);
}

#endif
