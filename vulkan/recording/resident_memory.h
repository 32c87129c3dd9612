// Device memory passed between executions: loop state, a tensor between two parts of a model, or memory that clients made for
// roles on this device. Also buffers of the application that owns the device.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "vulkan/memory/io_buffer.h"
#include "vulkan/recording/gpu.h"

namespace nnvk::vulkan {

class ResidentMemory final : public DeviceMemory {
 public:
  // Allocates memory on the device; the size may be 0.
  static Result<std::unique_ptr<DeviceMemory>> create(std::shared_ptr<Gpu> gpu, const MemoryRequest& request);

  // Wraps `size` bytes from `begin` of an application's buffer, or of a buffer over its memory. `access`: allowed uses.
  struct Access {
    bool read = true;
    bool write = true;
  };
  static std::unique_ptr<DeviceMemory> of_application(std::shared_ptr<Gpu> gpu, std::shared_ptr<const IoBuffer> buffer,
                                                      uint64_t begin, uint64_t size, Access access);

  uint64_t size() const override;
  bool grows() const override { return grows_; }
  bool is_lost() const override { return gpu_->context->is_lost(); }
  Result<Fence> read_from(uint64_t offset, std::span<std::byte> host) const override;
  Result<Fence> write_to(uint64_t offset, std::span<const std::byte> host) override;

  // Prepares growing memory for an execution that will write `size` bytes; the memory's contents are then undefined. Counts an
  // allocation in `activity`.
  Status resize(uint64_t size, Activity& activity);
  // Returns the buffer, padded for kernels. It lives as long as the returned pointer, even if the memory grows meanwhile.
  std::shared_ptr<const IoBuffer> buffer() const;
  // Returns the range of the buffer that belongs to this memory, and that nnvk may touch.
  uint64_t begin() const { return begin_; }
  uint64_t end() const;
  // Returns whether the memory lies in the application's buffer. Kernels must then not write beyond the region that an execution
  // binds.
  bool is_applications() const { return is_applications_; }
  bool belongs_to(const Gpu& gpu) const { return gpu_.get() == &gpu; }

 private:
  ResidentMemory(std::shared_ptr<Gpu> gpu, bool grows) : gpu_(std::move(gpu)), grows_(grows) {}
  Status make_buffer(uint64_t size, Activity& activity);

  Status check_alive() const;
  Status check_copy(bool to_host, uint64_t offset, uint64_t bytes) const;

  std::shared_ptr<Gpu> gpu_;
  const bool grows_;
  bool is_applications_ = false;
  uint64_t begin_ = 0;
  Access access_;
  mutable std::mutex mutex_;
  std::shared_ptr<const IoBuffer> buffer_;
  uint64_t size_ = 0;
};

}  // namespace nnvk::vulkan
