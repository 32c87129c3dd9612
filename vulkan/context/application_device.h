// The handles and callbacks that an application, which still owns them, passes with its own VkDevice (nnvk/vulkan_interop.h).
#pragma once

#include <volk.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "vulkan/context/device_functions.h"
#include "vulkan/context/host_allocator.h"

namespace nnvk::vulkan {

// nnvk refuses ranges of application memory that end beyond this offset, so that sums of a few offsets cannot overflow.
inline constexpr uint64_t kMostBytes = INT64_MAX;

// A piece of device memory bound to one buffer.
struct MemoryBlock {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint64_t offset = 0;
  uint64_t size = 0;
  void* mapped = nullptr;  // host address of its first byte; null if the host cannot access it
  void* user = nullptr;    // the application's own pointer
};

struct MemoryBlockRequest {
  uint64_t size = 0;
  uint64_t alignment = 1;
  uint32_t type = 0;  // index of the memory type
  int32_t role = 0;   // NnvkVkMemoryRole, whose values equal those of MemoryUse
};

// A device that an application made, with the application's functions, none of which throws.
struct ApplicationDevice {
  VkDevice device = VK_NULL_HANDLE;
  InstanceFunctions functions;  // of its instance

  VkQueue queue = VK_NULL_HANDLE;  // null: nothing is ever submitted
  // nnvk calls these functions before and after each vkQueueSubmit; if they are empty, the queue needs no lock. If lock_queue
  // fails, the queue is not locked.
  std::function<Status()> lock_queue;
  std::function<void()> unlock_queue;
  std::vector<uint32_t> families;  // distinct: the queue's, and those of the command buffers that recordings are written into

  std::shared_ptr<const HostAllocator> allocator;  // null: Vulkan's own
  // Allocates device memory; if it is empty, nnvk calls vkAllocateMemory. The VkResult is the application's.
  std::function<Result<VkResult>(const MemoryBlockRequest& request, MemoryBlock& block)> allocate_memory;
  std::function<void(const MemoryBlock& block)> free_memory;
  uint64_t memory_budget = 0;  // bytes; 0: no limit

  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;  // null: nnvk makes its own
  std::function<void()> on_lost;                    // may be empty
};

}  // namespace nnvk::vulkan
