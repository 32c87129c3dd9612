// The device memory that the locations of a program refer to.
#pragma once

#include <volk.h>

#include <cstdint>

namespace nnvk::vulkan {

// The buffers of a program's regions. Null if the program does not use the region.
struct RegionBuffers {
  VkBuffer arena = VK_NULL_HANDLE;
  VkBuffer io = VK_NULL_HANDLE;
  VkBuffer local = VK_NULL_HANDLE;
  uint64_t arena_offset = 0;  // offset of the arena in its buffer
  uint64_t io_begin = 0;      // the byte of the io region at which its buffer begins
};

// The location of a constant; prepared plans list them by constant id.
struct ConstantPlace {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
};

}  // namespace nnvk::vulkan
