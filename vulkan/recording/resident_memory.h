// Device memory that executions hand on to each other: the state of a loop, a tensor between two parts of a model.
#pragma once

#include <memory>
#include <span>

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "vulkan/memory/buffer.h"
#include "vulkan/recording/gpu.h"

namespace nnvk::vulkan {

class ResidentMemory final : public DeviceMemory {
 public:
  // Device-local; `size` may be 0.
  static Result<std::unique_ptr<DeviceMemory>> create(std::shared_ptr<Gpu> gpu, uint64_t size);

  uint64_t size() const override { return size_; }
  Result<Fence> read(std::span<std::byte> host) const override;

  VkBuffer handle() const { return buffer_.handle(); }
  bool belongs_to(const Gpu& gpu) const { return gpu_.get() == &gpu; }

 private:
  ResidentMemory(std::shared_ptr<Gpu> gpu, Buffer buffer, uint64_t size)
      : gpu_(std::move(gpu)), buffer_(std::move(buffer)), size_(size) {}

  std::shared_ptr<Gpu> gpu_;
  Buffer buffer_;
  uint64_t size_;
};

}  // namespace nnvk::vulkan
