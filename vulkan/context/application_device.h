// What an application hands over with its own VkDevice (nnvk/vulkan_interop.h): handles that stay its own, and its callbacks.
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

// No memory is larger. Offsets and sizes of applications that end behind it are refused, so that sums of a few cannot wrap
// around.
inline constexpr uint64_t kMostBytes = INT64_MAX;

// A piece of device memory that one buffer is bound to.
struct MemoryBlock {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint64_t offset = 0;
  uint64_t size = 0;
  void* mapped = nullptr;  // the host's address of its first byte; null where the host does not reach it
  void* user = nullptr;    // the application's
};

struct MemoryBlockRequest {
  uint64_t size = 0;
  uint64_t alignment = 1;
  uint32_t type = 0;  // index of the memory type
  int32_t role = 0;   // NnvkVkMemoryRole, which are the values of MemoryUse
};

// None of its functions throws.
struct ApplicationDevice {
  VkDevice device = VK_NULL_HANDLE;
  InstanceFunctions functions;  // of its instance

  VkQueue queue = VK_NULL_HANDLE;  // null: nothing is ever submitted
  // Around each vkQueueSubmit; empty: the queue needs no lock. Without success it is not locked.
  std::function<Status()> lock_queue;
  std::function<void()> unlock_queue;
  std::vector<uint32_t> families;  // distinct: of the queue, and of the command buffers that recordings go into

  std::shared_ptr<const HostAllocator> allocator;  // null: Vulkan's own
  // Where device memory comes from; empty: vkAllocateMemory. The VkResult is the application's.
  std::function<Result<VkResult>(const MemoryBlockRequest& request, MemoryBlock& block)> allocate_memory;
  std::function<void(const MemoryBlock& block)> free_memory;
  uint64_t memory_budget = 0;  // bytes; 0: no limit

  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;  // null: one of our own
  std::function<void()> on_lost;                    // may be empty
};

}  // namespace nnvk::vulkan
