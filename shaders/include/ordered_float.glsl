// Compares floats as integers. The results of comparisons and ARGMAX must be the same on devices that flush denormals.
#ifndef NNVK_SHADERS_ORDERED_FLOAT_GLSL
#define NNVK_SHADERS_ORDERED_FLOAT_GLSL

// Returns integers that order like the floats; both zeros give 0. NaN has no order: see nnvk_is_nan.
ivec4 nnvk_order_of(vec4 x) {
  const ivec4 bits = floatBitsToInt(x);
  const ivec4 magnitude = bits & 0x7FFFFFFF;
  return mix(magnitude, -magnitude, lessThan(bits, ivec4(0)));
}

bvec4 nnvk_is_nan(vec4 x) { return greaterThan(floatBitsToInt(x) & 0x7FFFFFFF, ivec4(0x7F800000)); }

#endif
