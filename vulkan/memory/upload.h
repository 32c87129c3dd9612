// Fills buffers with constant bytes: in place if the host can access device memory, else by copies from staging buffers. The
// caller records and runs these copies once.
#pragma once

#include <volk.h>

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

  // Makes a buffer of `size` bytes that holds `contents`; the spans are not needed afterwards. Adds a pending copy if the host
  // cannot access the device memory. `activity` counts the work (device_allocations, bytes_uploaded).
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
