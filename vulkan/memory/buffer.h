// One VkBuffer with its device memory: an arena, a block of constants, a slot's inputs and outputs, a staging area, an
// application's buffer, or a buffer over an application's memory.
#pragma once

#include <volk.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "core/base/result.h"
#include "vulkan/memory/memory_block.h"

namespace nnvk::vulkan {

// The counters of Activity; Counters reports them under these names.
#define NNVK_ACTIVITY(X)                                                                                  \
  X(pipelines_created)  /* not in any cache */                                                            \
  X(pipelines_restored) /* made again from a compilation cache that had them */                           \
  X(driver_cache_hits)  /* of both kinds: those that the driver reports as found in its pipeline cache */ \
  X(weights_packed)     /* constants that packing kernels made */                                         \
  X(weights_restored)   /* packed constants that came from a compilation cache */                         \
  X(cache_hits)         /* preparations that reused the result of an earlier one */                       \
  X(cache_misses)                                                                                         \
  X(command_buffers_recorded)                                                                             \
  X(device_allocations)                                                                                   \
  X(dma_bufs_imported)                                                                                    \
  X(descriptor_sets_written)                                                                              \
  X(bytes_copied_in)                                                                                      \
  X(bytes_copied_out)                                                                                     \
  X(bytes_copied_internal) /* between staging and device, per execution */                                \
  X(bytes_uploaded)        /* constants */                                                                \
  X(executions)                                                                                           \
  X(queued_behind)         /* executions submitted after others that had not run yet */                   \
  X(kernel_fences)         /* executions with a kernel fence for their end, if requested */               \
  X(sync_files_waited_for) /* kernel fences of others that the device waited for */                       \
  X(queued_behind_at_once) /* of queued_behind: those that the driver received when they were enqueued */ \
  X(recordings_built)                                                                                     \
  X(rebuilt_after_loss) /* how often everything was made anew after a device loss */

// Counts a prepared plan's work on the device.
struct Activity {
#define NNVK_COUNT(name) std::atomic<uint64_t> name{0};
  NNVK_ACTIVITY(NNVK_COUNT)
#undef NNVK_COUNT
};

class Buffer {
 public:
  // Makes a buffer of `size` bytes (at least 256) in the memory that suits `use`, mapped unless `use` is kDevice. Counts it in
  // `activity`. `what` names it in errors: "arena of MODEL".
  static Result<Buffer> create(std::shared_ptr<Context> context, uint64_t size, MemoryUse use, Activity& activity,
                               std::string_view what);
  // Makes a buffer over `size` bytes of host memory at `address`, both multiples of host_import_alignment. The memory must
  // outlive the buffer, which is not mapped: the host uses `address`. Fails if the driver refuses, for example for file-backed
  // memory.
  static Result<Buffer> import_host(std::shared_ptr<Context> context, std::byte* address, uint64_t size, Activity& activity);
  // Memory that the driver imports.
  struct ExternalMemory {
    const void* import;  // for VkMemoryAllocateInfo::pNext
    VkExternalMemoryHandleTypeFlagBits handle_type;
    uint32_t memory_types;  // allowed memory types, as a mask
    uint64_t memory_size;
    uint64_t offset;  // where the buffer begins in the memory; it extends to the memory's end
  };
  // Makes an unmapped buffer over `memory`.
  static Result<Buffer> import_memory(std::shared_ptr<Context> context, const ExternalMemory& memory, Activity& activity);
  // Wraps an application's buffer, which the application still owns. `usage`: the usage at its creation.
  static Buffer of_application(std::shared_ptr<Context> context, VkBuffer buffer, uint64_t size, VkBufferUsageFlags usage);
  // Makes nnvk's own buffer over `size` bytes from `offset` of an application's memory, which the application still owns. `type`:
  // index of its memory type. BAD_DATA if Vulkan allows no buffer there.
  static Result<Buffer> over_memory(std::shared_ptr<Context> context, VkDeviceMemory memory, uint32_t type, uint64_t offset,
                                    uint64_t size);
  // Returns the usage flags that kernels need.
  static VkBufferUsageFlags kernel_usage(const Context& context);
  // Returns all usage flags that kernels and copies need.
  static VkBufferUsageFlags full_usage(const Context& context);
  Buffer() = default;
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;

  VkBuffer handle() const { return buffer_; }
  uint64_t size() const { return size_; }
  VkBufferUsageFlags usage() const { return usage_; }
  // Returns the host's view of all bytes; empty when the buffer is not mapped. The memory is coherent and needs no flushing.
  std::span<std::byte> bytes() const {
    return {static_cast<std::byte*>(block_.mapped), block_.mapped != nullptr ? static_cast<size_t>(size_) : 0};
  }
  explicit operator bool() const { return buffer_ != VK_NULL_HANDLE; }

 private:
  Buffer(std::shared_ptr<Context> context, uint64_t size) : context_(std::move(context)), size_(size) {}
  Status make_buffer(const void* next, std::string_view what);
  VkMemoryRequirements requirements() const;
  Status import(const VkMemoryAllocateInfo& info, uint64_t offset, Activity& activity, std::string_view what);
  Status bind(VkDeviceMemory memory, uint64_t offset, std::string_view what);

  std::shared_ptr<Context> context_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  bool owns_buffer_ = false;
  MemoryBlock block_;                         // nnvk's own, within the budget
  VkDeviceMemory imported_ = VK_NULL_HANDLE;  // the driver's handle of imported client memory
  uint64_t size_ = 0;
  VkBufferUsageFlags usage_ = 0;
};

}  // namespace nnvk::vulkan
