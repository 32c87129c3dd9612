// Memory at addresses that every device can use in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace nnvk::python {

struct AlignedBytes {
  // A cache line, and the widest vector register.
  static constexpr size_t kAlignment = 64;

  // Allocates memory for `size` bytes, but at least one byte. Throws std::bad_alloc.
  static AlignedBytes make(uint64_t size) {
    const uint64_t rounded = (size / kAlignment + 1) * kAlignment;
    auto* const data = static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded));
    if (data == nullptr) throw std::bad_alloc();
    return {.data = {data, std::free}, .size = size};
  }

  std::shared_ptr<std::byte> data;
  uint64_t size = 0;
};

}  // namespace nnvk::python
