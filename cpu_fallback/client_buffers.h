// Checks of the client's buffers that every execution on the CPU makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/runtime/device.h"

namespace nnvk::cpu {

// Returns whether the alignment of `data` allows access to elements of this type.
inline bool is_aligned(const std::byte* data, OperandType type) {
  const size_t width = element_size(type);
  return width < 2 || reinterpret_cast<uintptr_t>(data) % width == 0;
}

// Returns BAD_DATA when input `index` is smaller than the `size` bytes of its shape.
inline Status check_input_size(size_t index, const Binding& binding, size_t size) {
  if (binding.size >= size && (binding.data != nullptr || size == 0)) return {};
  return fail(Code::kBadData, "input " + std::to_string(index) + " has " + std::to_string(binding.size) +
                                  " bytes, its shape needs " + std::to_string(size));
}

}  // namespace nnvk::cpu
