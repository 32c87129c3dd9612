// Tensors of any element type as float32, the shader twin of cpu_fallback/reference/tensor_access.h, for operations that compute
// in float32 whatever the operand types are (detection). Kernels that use it have only the words variant.
//
//   NNVK_REAL_INPUT(slot, x, TYPE)   NNVK_TABLE and float x##_real(uint i, float scale, float zero_point), vec4 x##_real4(i4, ...)
//   NNVK_REAL_OUTPUT(slot, y)        NNVK_OUTPUT and void y##_real4(type, i4, vec4, float scale, float zero_point)
//
// Only the quantized types use scale and zero point.
#ifndef NNVK_SHADERS_REAL_ACCESS_GLSL
#define NNVK_SHADERS_REAL_ACCESS_GLSL

#include "box_arithmetic.glsl"
#include "tensor.glsl"

// Returns the number of elements per word, as the exponent of a power of two.
uint nnvk_elements_log2(uint type) {
  return type == kElementFloat32 || type == kElementInt32 ? 0u : type == kElementUint8 || type == kElementInt8 ? 2u : 1u;
}

// Returns element i of a tensor, found in `word`.
float nnvk_real(uint type, uint word, uint i, float scale, float zero_point) {
  if (type == kElementFloat32) return uintBitsToFloat(word);
  if (type == kElementFloat16) return unpackHalf2x16((i & 1u) == 0u ? word : word >> 16).x;
  const bool bytes = type == kElementUint8 || type == kElementInt8;
  const int bits = bytes ? 8 : 16;
  const int at = int(bytes ? i & 3u : i & 1u) * bits;
  precise const float steps = float(nnvk_widen(type, bitfieldExtract(int(word), at, bits))) - zero_point;
  precise const float real = steps * scale;
  return real;
}

// Does the same as quantize_real(): NaN gives the upper limit.
int nnvk_quantize_real(uint type, float value, float scale, float zero_point) {
  const float lo = type == kElementUint8 || type == kElementUint16 ? 0.0 : type == kElementInt8 ? -128.0 : -32768.0;
  const float hi = type == kElementUint8 ? 255.0 : type == kElementInt8 ? 127.0 : type == kElementUint16 ? 65535.0 : 32767.0;
  precise const float real = divide(value, scale) + zero_point;
  if (is_nan(real)) return int(hi);
  return int(real <= lo ? lo : real >= hi ? hi : round_half_away(real));
}

// These functions loop over four elements: the compiler inlines calls, and four copies of such long functions would be too much.
#define NNVK_REAL_INPUT(slot, name, TYPE)                                                          \
  NNVK_TABLE(slot, name)                                                                           \
  float name##_real(uint i, float scale, float zero_point) {                                       \
    return nnvk_real(TYPE, name(i >> nnvk_elements_log2(TYPE)), i, scale, zero_point);             \
  }                                                                                                \
  vec4 name##_real4(uint i4, float scale, float zero_point) {                                      \
    if (TYPE == kElementFloat32) return name##_f4(i4);                                             \
    vec4 v;                                                                                        \
    for (uint k = 0; k < 4; ++k) v[k] = name##_real(4 * i4 + k, scale, zero_point);                \
    return v;                                                                                      \
  }

#define NNVK_REAL_OUTPUT(slot, name)                                                               \
  NNVK_OUTPUT(slot, name)                                                                          \
  void name##_real4(uint type, uint i4, vec4 v, float scale, float zero_point) {                   \
    if (type == kElementFloat32 || type == kElementFloat16) {                                      \
      name##_float4(type, i4, v);                                                                  \
    } else {                                                                                       \
      ivec4 q;                                                                                     \
      for (uint k = 0; k < 4; ++k) q[k] = nnvk_quantize_real(type, v[k], scale, zero_point);       \
      name##_int4(type, i4, q);                                                                    \
    }                                                                                              \
  }

#endif
