// Constant bytes and their place in a buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace nnvk::vulkan {

struct PlacedBytes {
  uint64_t offset = 0;
  std::span<const std::byte> bytes;
};

}  // namespace nnvk::vulkan
