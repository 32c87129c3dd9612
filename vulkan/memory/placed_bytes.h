// Constant bytes and their place in a buffer; alignment and padding of tensors in buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace nnvk::vulkan {

inline constexpr uint64_t kStorageAlignment = 256;  // satisfies every device's storage and texel offset alignment

// Returns how many bytes kernels may access for a tensor of `size` bytes: a multiple of 16, at least 16.
constexpr uint64_t padded_size(uint64_t size) { return size == 0 ? 16 : (size + 15) & ~uint64_t{15}; }

// Returns where the next tensor of a buffer begins, after one of `size` bytes at `offset`.
constexpr uint64_t offset_after(uint64_t offset, uint64_t size) {
  return (offset + padded_size(size) + kStorageAlignment - 1) & ~(kStorageAlignment - 1);
}

struct PlacedBytes {
  uint64_t offset = 0;
  std::span<const std::byte> bytes;
};

}  // namespace nnvk::vulkan
