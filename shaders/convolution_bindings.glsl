// Bindings and constants that convolution.comp and depthwise.comp share; both have an integer form, NNVK_INTEGER.
#include "convolution_params.h"
#include "quantize.glsl"
#include "tensor.glsl"

layout(constant_id = 0) const uint TYPE = kElementFloat32;  // of input and output
layout(constant_id = 1) const uint TILE_PIXELS = 1;         // output pixels per invocation
layout(constant_id = 2) const bool SCALAR_INPUT = false;    // input is read element by element (any layout, any channels)
layout(constant_id = 3) const bool SCALAR_OUTPUT = false;   // output is written as one 32-bit word per element, with strides

#ifdef NNVK_INTEGER
#define TOTAL ivec4
NNVK_INT4_INPUT(0, in_x, TYPE)
NNVK_INT4_INPUT(2, in_bias, kElementInt32)
NNVK_INT4_INPUT(4, in_scales, kElementInt32)  // four mantissas per vector of output channels, then four exponents for each
#define CENTER(x) vec4((x) - params.in_zero_point)
#define CENTER1(x) float((x) - params.in_zero_point)
#define LOAD_PARTIAL(i) partial_i4(i)
#define STORE_PARTIAL(i, v) partial_words4(i, uvec4(v))
#else
#define TOTAL vec4
NNVK_FLOAT4_INPUT(0, in_x, TYPE)
NNVK_FLOAT4_INPUT(2, in_bias, TYPE)
#define CENTER(x) (x)
#define CENTER1(x) (x)
#define LOAD_PARTIAL(i) partial_f4(i)
#define STORE_PARTIAL(i, v) partial_words4(i, floatBitsToUint(v))
#endif
NNVK_FLOAT4_INPUT(1, in_weights, kElementFloat32)
NNVK_OUTPUT(3, out_y)

