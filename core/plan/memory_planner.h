// Places every temporary tensor in one arena so that tensors whose lifetimes overlap never share bytes.
// Pure: no Vulkan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace nnvk {

// One tensor: its size in bytes and the first and last dependency level (inclusive) at which its bytes matter.
struct TensorLifetime {
  uint64_t size = 0;
  uint32_t first_level = 0;
  uint32_t last_level = 0;
};

struct ArenaPlan {
  std::vector<uint64_t> offsets;  // per tensor, bytes, multiples of the alignment
  uint64_t size = 0;              // high-water mark in bytes
};

// Largest first; each takes the lowest offset free over its levels. `alignment` is a power of two.
// BAD_DATA when the alignment is not a power of two or a lifetime ends before it begins; OUT_OF_MEMORY when sizes overflow.
Result<ArenaPlan> plan_arena(std::span<const TensorLifetime> lifetimes, uint64_t alignment);

}  // namespace nnvk
