// Places all temporary tensors in one arena, so that tensors whose lifetimes overlap never share bytes. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace nnvk {

// A tensor's size in bytes, and the first and last dependency level (inclusive) at which its bytes matter.
struct TensorLifetime {
  uint64_t size = 0;
  uint32_t first_level = 0;
  uint32_t last_level = 0;
};

struct ArenaPlan {
  std::vector<uint64_t> offsets;  // per tensor, bytes, multiples of the alignment
  uint64_t size = 0;              // high-water mark in bytes
};

// Places the largest tensors first, each at the lowest offset that is free over its levels. BAD_DATA if `alignment` is not a
// power of two or a lifetime ends before it begins; OUT_OF_MEMORY if sizes overflow.
Result<ArenaPlan> plan_arena(std::span<const TensorLifetime> lifetimes, uint64_t alignment);

}  // namespace nnvk
