// Buffers filled with constant bytes: written in place where the host reaches device memory, else copied from staging buffers
// by commands that the caller records and runs once.
#pragma once

#include <volk.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "vulkan/memory/buffer.h"
#include "vulkan/memory/placed_bytes.h"

namespace nnvk::vulkan {

class Uploads {
 public:
  explicit Uploads(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  // A buffer of `size` bytes holding `contents`; the spans are not needed afterwards. Adds a pending copy when the device
  // memory is out of the host's reach. Counted in `activity` (device_allocations, bytes_uploaded).
  Result<Buffer> make(uint64_t size, std::span<const PlacedBytes> contents, Activity& activity, std::string_view what);

  bool empty() const { return copies_.empty(); }
  // Records the pending copies and makes them visible to compute shaders. Keep this object until they have run.
  void record(VkCommandBuffer commands) const;

 private:
  struct Copy {
    Buffer staging;
    VkBuffer target = VK_NULL_HANDLE;
  };
  std::shared_ptr<Context> context_;
  std::vector<Copy> copies_;
};

}  // namespace nnvk::vulkan
