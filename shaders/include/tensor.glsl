// Loads and stores of tensors of every element type. A shader declares its operands with the macros below and then calls
// functions. Only this file decides whether a texel buffer or a storage buffer of words (NNVK_WORDS) holds the bytes.
//
//   NNVK_FLOAT_INPUT (slot, x, TYPE)   float x(uint i)       element i; TYPE: kElementFloat32 or kElementFloat16.
//   NNVK_FLOAT4_INPUT(slot, x, TYPE)   vec4  x(uint i4)      elements 4*i4 .. 4*i4+3.
//   NNVK_INT_INPUT   (slot, x, TYPE)   int   x(uint i)       raw integer, sign- or zero-extended; any integer TYPE.
//   NNVK_INT4_INPUT  (slot, x, TYPE)   ivec4 x(uint i4).
//   NNVK_UINT4_INPUT (slot, x)         uvec4 x(uint i16)     raw bytes 16*i16 .. +15 (sixteen 8-bit elements, 8 halves).
//   NNVK_TABLE       (slot, x)         uint x(uint i), uvec2 x##2, uvec4 x##4, float x##_f, vec4 x##_f4, int x##_i, ivec4 x##_i4.
//                                      Reads 32-bit words of a constant table.
//   NNVK_OUTPUT      (slot, y)         void y##_float(i, float), y##_int(i, int).           One 32-bit element.
//                                      void y##_float4(type, i4, vec4), y##_int4(type, i4, ivec4).  Elements 4*i4 .. +3.
//                                      void y##_word(i, uint), y##_words2(i2, uvec2), y##_words4(i4, uvec4).  Raw words.
//   NNVK_INOUT       (slot, y)         NNVK_OUTPUT and the functions of NNVK_TABLE.
//   NNVK_PARAMS      (FooParams)       push constants: params.count, ...
//
// The texel variant binds views of these formats: FLOAT: R32_SFLOAT/R16_SFLOAT; FLOAT4: RGBA32_SFLOAT/RGBA16_SFLOAT; INT: R8/R16/
// R32_SINT (unsigned types too: masked here); INT4: RGBA8/RGBA16/RGBA32_SINT; UINT4: RGBA32_UINT. TYPE should be a specialization
// constant, so that the choice costs nothing. 8- and 16-bit integers passed to _int4 must be in range already.
#ifndef NNVK_SHADERS_TENSOR_GLSL
#define NNVK_SHADERS_TENSOR_GLSL

#include "shared_types.h"

// The push constants `params`: a struct of the family's params header.
#define NNVK_PARAMS(TYPE) \
  layout(push_constant) uniform nnvk_push_constants { TYPE params; };

// Number of this invocation in a flat dispatch whose groups may be spread over x and y (emitters: flat_groups()).
// A macro: in a function above the shader's layout(local_size_x) declaration, gl_WorkGroupSize would be 1.
#define nnvk_invocation() \
  ((gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x)

// Zero-extends raw integers of the unsigned types, which views and unpacking deliver sign-extended.
int nnvk_widen(uint type, int v) {
  return type == kElementUint8 ? (v & 0xFF) : type == kElementUint16 ? (v & 0xFFFF) : v;
}
ivec4 nnvk_widen4(uint type, ivec4 v) {
  return type == kElementUint8 ? (v & 0xFF) : type == kElementUint16 ? (v & 0xFFFF) : v;
}

// These functions return the four bytes of a word, sign-extended or zero-extended, lowest first.
ivec4 nnvk_unpack_int8(uint w) { return ivec4(int(w << 24), int(w << 16), int(w << 8), int(w)) >> 24; }
ivec4 nnvk_unpack_uint8(uint w) { return ivec4(uvec4(w, w >> 8, w >> 16, w >> 24) & 0xFFu); }
ivec4 nnvk_unpack_bytes(uint type, uint w) { return type == kElementUint8 ? nnvk_unpack_uint8(w) : nnvk_unpack_int8(w); }
ivec4 nnvk_unpack_int16(uvec2 w) { return ivec4(int(w.x << 16), int(w.x), int(w.y << 16), int(w.y)) >> 16; }
uint nnvk_pack_bytes(ivec4 v) {
  const uvec4 b = uvec4(v) & 0xFFu;
  return b.x | (b.y << 8) | (b.z << 16) | (b.w << 24);
}
uvec2 nnvk_pack_shorts(uvec4 h) { return uvec2((h.x & 0xFFFFu) | (h.y << 16), (h.z & 0xFFFFu) | (h.w << 16)); }

// Returns the bits of the nearest halves (ties to even, large values to infinity). Unlike packHalf2x16, no driver decides the
// rounding.
uvec4 nnvk_half_bits(vec4 v) {
  const uvec4 bits = floatBitsToUint(v);
  const uvec4 sign = (bits >> 16) & 0x8000u;
  const uvec4 magnitude = bits & 0x7FFFFFFFu;
  const uvec4 normal = (magnitude - 0x38000000u + 0xFFFu + ((magnitude >> 13) & 1u)) >> 13;
  // The last place of 0.5 is the unit of denormal halves, so adding 0.5 rounds to them. Tiny values are set to 0 first, because
  // denormals are slow.
  const bvec4 tiny = lessThanEqual(magnitude, uvec4(0x33000000u));
  const vec4 shifted = uintBitsToFloat(mix(magnitude, uvec4(0u), tiny)) + 0.5;
  const uvec4 denormal = floatBitsToUint(shifted) - 0x3F000000u;
  uvec4 half_bits = mix(normal, denormal, lessThan(magnitude, uvec4(0x38800000u)));
  half_bits = mix(half_bits, uvec4(0x7C00u), greaterThanEqual(magnitude, uvec4(0x477FF000u)));
  half_bits = mix(half_bits, uvec4(0x7E00u), greaterThan(magnitude, uvec4(0x7F800000u)));
  return half_bits | sign;
}

// ---- storage buffers of words -------------------------------------------------------------------------------------------

// The gathered form of a kernel (tools/shader_packer/gathered.h) has one storage buffer with all its inputs. Its first words hold
// the start of each input, in the inputs' order; the packer defines NNVK_INPUT_<slot> and NNVK_BINDING_<slot>.
#ifdef NNVK_GATHERED

#define NNVK_BINDING(slot) NNVK_BINDING_##slot
layout(set = 0, binding = 0, std430) readonly buffer gathered_words { uint gathered_w[]; };
layout(set = 0, binding = 0, std430) readonly buffer gathered_words_2 { uvec2 gathered_w2[]; };
layout(set = 0, binding = 0, std430) readonly buffer gathered_words_4 { uvec4 gathered_w4[]; };
#define NNVK_READ_VIEWS(slot, name) const uint name##_input = NNVK_INPUT_##slot;
#define NNVK_READ(name, i) gathered_w[gathered_w[name##_input] + (i)]
#define NNVK_READ2(name, i2) gathered_w2[gathered_w[name##_input] / 2 + (i2)]
#define NNVK_READ4(name, i4) gathered_w4[gathered_w[name##_input] / 4 + (i4)]

#else

#define NNVK_BINDING(slot) slot
#define NNVK_READ_VIEWS(slot, name) NNVK_WORD_VIEWS(slot, name, readonly)
#define NNVK_READ(name, i) name##_w[i]
#define NNVK_READ2(name, i2) name##_w2[i2]
#define NNVK_READ4(name, i4) name##_w4[i4]

#endif

#define NNVK_WORD_VIEWS(slot, name, access)                                                                     \
  layout(set = 0, binding = NNVK_BINDING(slot), std430) access buffer name##_words { uint name##_w[]; };        \
  layout(set = 0, binding = NNVK_BINDING(slot), std430) access buffer name##_words_2 { uvec2 name##_w2[]; };    \
  layout(set = 0, binding = NNVK_BINDING(slot), std430) access buffer name##_words_4 { uvec4 name##_w4[]; };

// `one`, `two`, `four`: expressions that read so many adjacent words of the operand.
#define NNVK_WORD_READS(name, one, two, four)                               \
  uint name(uint i) { return one; }                                         \
  uvec2 name##2(uint i) { return two; }                                     \
  uvec4 name##4(uint i) { return four; }                                    \
  int name##_i(uint i) { return int(one); }                                 \
  ivec4 name##_i4(uint i) { return ivec4(four); }                           \
  float name##_f(uint i) { return uintBitsToFloat(one); }                   \
  vec4 name##_f4(uint i) { return uintBitsToFloat(four); }

#define NNVK_TABLE(slot, name)      \
  NNVK_READ_VIEWS(slot, name)       \
  NNVK_WORD_READS(name, NNVK_READ(name, i), NNVK_READ2(name, i), NNVK_READ4(name, i))

#define NNVK_WORD_WRITES(name)                                                                           \
  void name##_word(uint i, uint v) { name##_w[i] = v; }                                                  \
  void name##_words2(uint i2, uvec2 v) { name##_w2[i2] = v; }                                            \
  void name##_words4(uint i4, uvec4 v) { name##_w4[i4] = v; }                                            \
  void name##_float(uint i, float v) { name##_w[i] = floatBitsToUint(v); }                               \
  void name##_int(uint i, int v) { name##_w[i] = uint(v); }                                              \
  void name##_float4(uint type, uint i4, vec4 v) {                                                       \
    if (type == kElementFloat16) {                                                                       \
      name##_w2[i4] = nnvk_pack_shorts(nnvk_half_bits(v));                                               \
    } else {                                                                                             \
      name##_w4[i4] = floatBitsToUint(v);                                                                \
    }                                                                                                    \
  }                                                                                                      \
  void name##_int4(uint type, uint i4, ivec4 v) {                                                        \
    if (type == kElementInt32) {                                                                         \
      name##_w4[i4] = uvec4(v);                                                                          \
    } else if (type == kElementUint8 || type == kElementInt8) {                                          \
      name##_w[i4] = nnvk_pack_bytes(v);                                                                 \
    } else {                                                                                             \
      name##_w2[i4] = nnvk_pack_shorts(uvec4(v));                                                        \
    }                                                                                                    \
  }

#define NNVK_OUTPUT(slot, name)            \
  NNVK_WORD_VIEWS(slot, name, writeonly)   \
  NNVK_WORD_WRITES(name)

#define NNVK_INOUT(slot, name)     \
  NNVK_WORD_VIEWS(slot, name, )    \
  NNVK_WORD_READS(name, name##_w[i], name##_w2[i], name##_w4[i]) \
  NNVK_WORD_WRITES(name)

// ---- inputs -------------------------------------------------------------------------------------------------------------

#ifdef NNVK_WORDS

#define NNVK_FLOAT_INPUT(slot, name, TYPE)                                                     \
  NNVK_READ_VIEWS(slot, name)                                                                  \
  float name(uint i) {                                                                         \
    if (TYPE == kElementFloat16) {                                                             \
      const vec2 pair = unpackHalf2x16(NNVK_READ(name, i >> 1));                               \
      return (i & 1u) == 0u ? pair.x : pair.y;                                                 \
    }                                                                                          \
    return uintBitsToFloat(NNVK_READ(name, i));                                                \
  }

#define NNVK_FLOAT4_INPUT(slot, name, TYPE)                                                    \
  NNVK_READ_VIEWS(slot, name)                                                                  \
  vec4 name(uint i4) {                                                                         \
    if (TYPE == kElementFloat16) {                                                             \
      const uvec2 w = NNVK_READ2(name, i4);                                                    \
      return vec4(unpackHalf2x16(w.x), unpackHalf2x16(w.y));                                   \
    }                                                                                          \
    return uintBitsToFloat(NNVK_READ4(name, i4));                                              \
  }

#define NNVK_INT_INPUT(slot, name, TYPE)                                                       \
  NNVK_READ_VIEWS(slot, name)                                                                  \
  int name(uint i) {                                                                           \
    if (TYPE == kElementInt32) return int(NNVK_READ(name, i));                                 \
    if (TYPE == kElementUint8 || TYPE == kElementInt8) {                                       \
      return nnvk_widen(TYPE, bitfieldExtract(int(NNVK_READ(name, i >> 2)), int(i & 3u) * 8, 8)); \
    }                                                                                          \
    return nnvk_widen(TYPE, bitfieldExtract(int(NNVK_READ(name, i >> 1)), int(i & 1u) * 16, 16)); \
  }

#define NNVK_INT4_INPUT(slot, name, TYPE)                                                      \
  NNVK_READ_VIEWS(slot, name)                                                                  \
  ivec4 name(uint i4) {                                                                        \
    if (TYPE == kElementInt32) return ivec4(NNVK_READ4(name, i4));                             \
    if (TYPE == kElementUint8 || TYPE == kElementInt8) {                                       \
      return nnvk_unpack_bytes(TYPE, NNVK_READ(name, i4));                                     \
    }                                                                                          \
    return nnvk_widen4(TYPE, nnvk_unpack_int16(NNVK_READ2(name, i4)));                         \
  }

#define NNVK_UINT4_INPUT(slot, name)                                                           \
  NNVK_READ_VIEWS(slot, name)                                                                  \
  uvec4 name(uint i16) { return NNVK_READ4(name, i16); }

#else

#define NNVK_FLOAT_INPUT(slot, name, TYPE)                                       \
  layout(set = 0, binding = slot) uniform samplerBuffer name##_texels;           \
  float name(uint i) { return texelFetch(name##_texels, int(i)).x; }

#define NNVK_FLOAT4_INPUT(slot, name, TYPE)                                      \
  layout(set = 0, binding = slot) uniform samplerBuffer name##_texels;           \
  vec4 name(uint i4) { return texelFetch(name##_texels, int(i4)); }

#define NNVK_INT_INPUT(slot, name, TYPE)                                         \
  layout(set = 0, binding = slot) uniform isamplerBuffer name##_texels;          \
  int name(uint i) { return nnvk_widen(TYPE, texelFetch(name##_texels, int(i)).x); }

#define NNVK_INT4_INPUT(slot, name, TYPE)                                        \
  layout(set = 0, binding = slot) uniform isamplerBuffer name##_texels;          \
  ivec4 name(uint i4) { return nnvk_widen4(TYPE, texelFetch(name##_texels, int(i4))); }

#define NNVK_UINT4_INPUT(slot, name)                                             \
  layout(set = 0, binding = slot) uniform usamplerBuffer name##_texels;          \
  uvec4 name(uint i16) { return texelFetch(name##_texels, int(i16)); }

#endif

// Element i of an input declared four wide (NNVK_FLOAT4_INPUT, NNVK_INT4_INPUT) whose texel variant is bound as single elements.
#ifdef NNVK_WORDS
#define NNVK_SCALAR_OF(name, i) name((i) >> 2)[(i) & 3u]
#else
#define NNVK_SCALAR_OF(name, i) name(i).x
#endif

#endif
