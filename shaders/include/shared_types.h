// Lets C++ and GLSL read one parameter header: `uint`, `int`, `float` mean 32-bit scalars in both. A header that includes this
// writes NNVK_SHARED_BEGIN, `struct FooParams { uint count; ... };`, NNVK_SHARED_CONST constants, and NNVK_SHARED_END. The
// structs have only 32-bit scalar members and arrays of them.
#ifndef NNVK_SHADERS_SHARED_TYPES_H
#define NNVK_SHADERS_SHARED_TYPES_H

#ifdef __cplusplus
#include <cstdint>
#define NNVK_SHARED_BEGIN namespace nnvk::vulkan {
#define NNVK_SHARED_END }
#define NNVK_SHARED_CONST inline constexpr
#else
#define NNVK_SHARED_BEGIN
#define NNVK_SHARED_END
#define NNVK_SHARED_CONST const
#endif

NNVK_SHARED_BEGIN
#ifdef __cplusplus
using uint = uint32_t;
#endif

// How the elements of a tensor are stored. The value of the element-type specialization constants.
NNVK_SHARED_CONST uint kElementFloat32 = 0;
NNVK_SHARED_CONST uint kElementFloat16 = 1;
NNVK_SHARED_CONST uint kElementInt32 = 2;
NNVK_SHARED_CONST uint kElementUint8 = 3;   // TENSOR_QUANT8_ASYMM, TENSOR_BOOL8
NNVK_SHARED_CONST uint kElementInt8 = 4;    // TENSOR_QUANT8_ASYMM_SIGNED, _SYMM, _SYMM_PER_CHANNEL
NNVK_SHARED_CONST uint kElementUint16 = 5;  // TENSOR_QUANT16_ASYMM
NNVK_SHARED_CONST uint kElementInt16 = 6;   // TENSOR_QUANT16_SYMM
NNVK_SHARED_END

#endif
