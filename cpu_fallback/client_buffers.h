// What every execution on the CPU looks at in the client's buffers.
#pragma once

#include <cstddef>

#include "core/runtime/device.h"

namespace nnvk::cpu {

// Whether elements of this type can be read and written there.
bool is_aligned(const std::byte* data, OperandType type);

// BAD_DATA when input `index` has less than the `size` bytes that its shape needs.
Status check_input_size(size_t index, const Binding& binding, size_t size);

}  // namespace nnvk::cpu
