// Sums of four products of signed bytes in one instruction (VK_KHR_shader_integer_dot_product). Shaders that include this need
// the feature dot_product. Debian's glslang has no GLSL for it, so this file declares the instruction.
#ifndef NNVK_SHADERS_DOT_PRODUCT_GLSL
#define NNVK_SHADERS_DOT_PRODUCT_GLSL
#extension GL_EXT_spirv_intrinsics : require

// OpSDot; format 0 is PackedVectorFormat4x8Bit. Capabilities: DotProduct and DotProductInput4x8BitPacked.
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4450)
int nnvk_signed_dot(int a, int b, spirv_literal uint format);

// Multiplies the signed bytes of two words, lowest with lowest, and adds the products. The sum, at most 2^16, never overflows.
int dot_bytes(int a, int b) { return nnvk_signed_dot(a, b, 0); }
// Does the same for one word and each of four words.
ivec4 dot_bytes(int a, ivec4 b) {
  return ivec4(nnvk_signed_dot(a, b.x, 0), nnvk_signed_dot(a, b.y, 0), nnvk_signed_dot(a, b.z, 0), nnvk_signed_dot(a, b.w, 0));
}

// Four times the same byte.
const int kBytesOfOne = 0x01010101;

#endif
