// exp(x) for x <= 0 without denormal results, which are a hundred times slower on software Vulkan: below -87 the result is 0.
#ifndef NNVK_SHADERS_SOFTMAX_EXPONENTIAL_GLSL
#define NNVK_SHADERS_SOFTMAX_EXPONENTIAL_GLSL

vec4 softmax_exponential(vec4 x) { return mix(exp(max(x, vec4(-87.0))), vec4(0.0), lessThan(x, vec4(-87.0))); }

#endif
