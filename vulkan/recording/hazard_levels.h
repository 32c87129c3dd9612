// Sorts dispatches into levels. Dispatches of one level are independent, so one barrier between levels is enough. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nnvk::vulkan {

// One access of a dispatch: bytes [begin, end) of a resource; resources do not overlap. With a stride, the access touches only
// the rows [begin + k * stride, begin + k * stride + row) up to `end`; row <= stride.
struct ByteAccess {
  uint32_t resource = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  bool writes = false;
  uint64_t stride = 0;
  uint64_t row = 0;
};

// Returns for each dispatch, in program order, the lowest level after all earlier dispatches with which it conflicts. Dispatches
// conflict if one of them writes bytes that the other reads or writes. Levels start at 0. Empty ranges never conflict.
std::vector<uint32_t> assign_levels(std::span<const std::vector<ByteAccess>> dispatches);

}  // namespace nnvk::vulkan
