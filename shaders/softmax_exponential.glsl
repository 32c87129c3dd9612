// exp(x) for x <= 0 without denormal results, which are a hundred times slower on software Vulkan: below -87 the result is 0.
// Keeps NaN, unlike max(x, -87) and the built-in exp.
#ifndef NNVK_SHADERS_SOFTMAX_EXPONENTIAL_GLSL
#define NNVK_SHADERS_SOFTMAX_EXPONENTIAL_GLSL

vec4 softmax_exponential(vec4 x) {
  const bvec4 tiny = lessThan(x, vec4(-87.0));
  return mix(mix(exp(mix(x, vec4(-87.0), tiny)), vec4(0.0), tiny), x, isnan(x));
}

#endif
