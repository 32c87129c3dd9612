// Numbers of the extension "nnvk.test", which extension_device.h implements. Both the device and the tests' clients use them.
#pragma once

#include <cstdint>

namespace nnvk::test {

inline constexpr const char* kTestExtension = "nnvk.test";

// Operand types. FIXED16: a tensor of signed 16-bit numbers; its data is one byte, the number of fraction bits (no data: none).
// FACTOR: a scalar of 8 bytes, a double.
inline constexpr uint16_t kFixed16 = 2;
inline constexpr uint16_t kFactor = 5;

// Operations, element by element; results have the shape of input 0.
inline constexpr uint16_t kToFixed = 1;  // TENSOR_FLOAT32 -> FIXED16, rounded and clamped
inline constexpr uint16_t kScaleBy = 2;  // FIXED16, FACTOR (1 when omitted) -> FIXED16
inline constexpr uint16_t kToFloat = 3;  // FIXED16 -> TENSOR_FLOAT32: gain * x + offset

// Attributes, each one float: of a compilation, and of an execution.
inline constexpr uint16_t kGain = 1;    // default 1
inline constexpr uint16_t kOffset = 2;  // default 0

// The devices, in the order of the list. The second runs only kScaleBy.
inline constexpr const char* kExtensionDeviceName = "test-extension";
inline constexpr const char* kScalingDeviceName = "test-scaling";
// Both devices list this second extension, and describe its operand type 1 differently: the first as a tensor, the second as
// a scalar.
inline constexpr const char* kDisputedExtension = "nnvk.disputed";
inline constexpr uint16_t kDisputedType = 1;

}  // namespace nnvk::test
