// Semaphores of an application that one submission waits for and signals.
#pragma once

#include <volk.h>

#include <cstdint>
#include <vector>

namespace nnvk::vulkan {

struct SemaphorePoint {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  uint64_t value = 0;  // 0: the semaphore is binary

  bool is_timeline() const { return value != 0; }
};

struct QueueSync {
  std::vector<SemaphorePoint> waits;
  std::vector<SemaphorePoint> signals;
};

}  // namespace nnvk::vulkan
