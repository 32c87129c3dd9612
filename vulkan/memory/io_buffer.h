// A buffer beyond a slot's own that inputs and outputs may lie in: memory that executions hand on, or imported client memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "vulkan/memory/buffer.h"

namespace nnvk::vulkan {

class IoBuffer {
 public:
  // `host_address`: where the buffer's first byte lies on the host, for imported memory.
  explicit IoBuffer(Buffer buffer, std::byte* host_address = nullptr)
      : id_(new_id()), buffer_(std::move(buffer)), host_address_(host_address) {}

  // Never given to another buffer in this process, unlike handles: what was recorded for a buffer that is gone is never mistaken
  // for a recording of another one. Not 0.
  uint64_t id() const { return id_; }
  // For what inputs and outputs may lie in and is no buffer.
  static uint64_t new_id() { return ++last_id_; }
  VkBuffer handle() const { return buffer_.handle(); }
  uint64_t size() const { return buffer_.size(); }
  VkBufferUsageFlags usage() const { return buffer_.usage(); }
  std::span<std::byte> bytes() const { return buffer_.bytes(); }
  const std::byte* host_address() const { return host_address_; }

 private:
  inline static std::atomic<uint64_t> last_id_{0};

  uint64_t id_;
  Buffer buffer_;
  std::byte* host_address_;
};

}  // namespace nnvk::vulkan
