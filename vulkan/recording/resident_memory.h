// Device memory that executions hand on to each other: the state of a loop, a tensor between two parts of a model, memory that
// clients made for roles on this device.
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
  // Device-local; the size may be 0.
  static Result<std::unique_ptr<DeviceMemory>> create(std::shared_ptr<Gpu> gpu, const MemoryRequest& request);

  uint64_t size() const override;
  bool grows() const override { return grows_; }
  Result<Fence> read(std::span<std::byte> host) const override;
  Result<Fence> write(std::span<const std::byte> host) override;

  // For an execution that is about to write `size` bytes: makes memory that grows this large, whose contents are then undefined.
  // An allocation is counted in `activity`.
  Status resize(uint64_t size, Activity& activity);
  // The bytes, which stay as long as the pointer, also when the memory grows meanwhile; padded to what kernels touch.
  std::shared_ptr<const IoBuffer> buffer() const;
  bool belongs_to(const Gpu& gpu) const { return gpu_.get() == &gpu; }

 private:
  ResidentMemory(std::shared_ptr<Gpu> gpu, bool grows) : gpu_(std::move(gpu)), grows_(grows) {}
  Status make_buffer(uint64_t size, Activity& activity);

  std::shared_ptr<Gpu> gpu_;
  const bool grows_;
  mutable std::mutex mutex_;
  std::shared_ptr<const IoBuffer> buffer_;
  uint64_t size_ = 0;
};

}  // namespace nnvk::vulkan
