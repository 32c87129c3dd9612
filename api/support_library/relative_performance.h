// The time that a device needs, relative to nnvk-cpu.
#pragma once

#include <optional>

#include "core/model/operand.h"
#include "core/runtime/runtime.h"

namespace nnvk::api::support_library {

// Returns the predicted time of `device` for a layer of operand type `type`, divided by nnvk-cpu's: less than 1 is faster than
// the CPU. The layer is a 3x3 convolution for float and 8-bit tensors, an addition for TENSOR_INT32, a logical AND for
// TENSOR_BOOL8. Returns nullopt for other types, and if a device does not run the layer.
std::optional<float> relative_time(const Runtime& runtime, const Device& device, OperandType type);

}  // namespace nnvk::api::support_library
