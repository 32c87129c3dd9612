// Checks of the client's buffers that every execution on the CPU makes.
#pragma once

#include <cstddef>

#include "core/runtime/device.h"

namespace nnvk::cpu {

// Returns whether the alignment of `data` allows access to elements of this type.
bool is_aligned(const std::byte* data, OperandType type);

// Returns BAD_DATA when input `index` is smaller than the `size` bytes of its shape.
Status check_input_size(size_t index, const Binding& binding, size_t size);

}  // namespace nnvk::cpu
