// One VkBuffer with its device memory: an arena, a block of constants, a slot's inputs and outputs, a staging area, an
// application's buffer, or a buffer over an application's memory.
#pragma once

#include <volk.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/result.h"
#include "vulkan/memory/memory_block.h"

namespace nnvk::vulkan {

// Counts a prepared plan's work on the device; Counters reports it.
struct Activity {
  std::atomic<uint64_t> pipelines_created{0};   // not in any cache
  std::atomic<uint64_t> pipelines_restored{0};  // made again from a compilation cache that had them
  std::atomic<uint64_t> driver_cache_hits{0};   // of both kinds: those that the driver reports as found in its pipeline cache
  std::atomic<uint64_t> weights_packed{0};      // constants that packing kernels made
  std::atomic<uint64_t> weights_restored{0};    // packed constants that came from a compilation cache
  std::atomic<uint64_t> cache_hits{0};          // preparations that reused the result of an earlier one
  std::atomic<uint64_t> cache_misses{0};
  std::atomic<uint64_t> command_buffers_recorded{0};
  std::atomic<uint64_t> device_allocations{0};
  std::atomic<uint64_t> dma_bufs_imported{0};
  std::atomic<uint64_t> descriptor_sets_written{0};
  std::atomic<uint64_t> bytes_copied_in{0};
  std::atomic<uint64_t> bytes_copied_out{0};
  std::atomic<uint64_t> bytes_copied_internal{0};  // between staging and device, per execution
  std::atomic<uint64_t> bytes_uploaded{0};         // constants
  std::atomic<uint64_t> executions{0};
  std::atomic<uint64_t> queued_behind{0};          // executions submitted after others that had not run yet
  std::atomic<uint64_t> kernel_fences{0};          // executions with a kernel fence for their end, if requested
  std::atomic<uint64_t> sync_files_waited_for{0};  // kernel fences of others that the device waited for
  std::atomic<uint64_t> queued_behind_at_once{0};  // of queued_behind: those that the driver received when they were enqueued
  std::atomic<uint64_t> recordings_built{0};
  std::atomic<uint64_t> rebuilt_after_loss{0};  // how often everything was made anew after a device loss
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
  Status make_buffer(const void* next, std::string_view what);
  VkMemoryRequirements requirements() const;
  Status import(const VkMemoryAllocateInfo& info, uint64_t offset, Activity& activity, std::string_view what);
  Status bind(VkDeviceMemory memory, uint64_t offset, std::string_view what);
  Status allocate(MemoryUse use, Activity& activity, std::string_view what);
  Status import(std::byte* address, Activity& activity);

  std::shared_ptr<Context> context_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  bool owns_buffer_ = false;
  MemoryBlock block_;                         // nnvk's own, within the budget
  VkDeviceMemory imported_ = VK_NULL_HANDLE;  // the driver's handle of imported client memory
  uint64_t size_ = 0;
  VkBufferUsageFlags usage_ = 0;
};

}  // namespace nnvk::vulkan
