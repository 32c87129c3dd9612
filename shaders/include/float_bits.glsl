// Floats as bits, for values that must keep every bit, or be ordered alike on every device. Kernels read the elements as raw
// integers and use no float arithmetic. The C++ twins are core/base/sort_key.h and half_to_float() of core/base/half.h.
#ifndef NNVK_SHADERS_FLOAT_BITS_GLSL
#define NNVK_SHADERS_FLOAT_BITS_GLSL

#include "shared_types.h"

// Returns the integer type for reading and writing raw elements of a tensor.
uint nnvk_raw_type(uint type) {
  return type == kElementFloat32 ? kElementInt32 : type == kElementFloat16 ? kElementInt16 : type;
}

// Returns the bits of the float32 with the value of a half; exact.
uint nnvk_widen_half(uint h) {
  const uint sign = (h & 0x8000u) << 16;
  const uint exponent = (h >> 10) & 0x1Fu;
  const uint mantissa = h & 0x3FFu;
  if (exponent == 31u) return sign | 0x7F800000u | (mantissa << 13);
  if (exponent != 0u) return sign | ((exponent + 112u) << 23) | (mantissa << 13);
  if (mantissa == 0u) return sign;
  const uint top = uint(findMSB(mantissa));
  return sign | ((top + 103u) << 23) | ((mantissa << (23u - top)) & 0x7FFFFFu);
}

// Returns the bits of the float32 with the value of a raw element of a FLOAT32 or FLOAT16 tensor.
uint nnvk_float_bits(uint type, int raw) { return type == kElementFloat16 ? nnvk_widen_half(uint(raw) & 0xFFFFu) : uint(raw); }

// Returns a key; keys compare like the elements, see sort_key.h. `raw`: the element as an integer, extended by its type.
uint nnvk_sort_key(uint type, int raw) {
  if (type != kElementFloat32 && type != kElementFloat16) return uint(raw) ^ 0x80000000u;
  const uint bits = nnvk_float_bits(type, raw);
  if ((bits & 0x7FFFFFFFu) == 0u) return 0x80000000u;
  return (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
}

#endif
