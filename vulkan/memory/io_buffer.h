// A buffer outside the slots that may hold inputs and outputs: memory passed between executions, or imported client memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "vulkan/memory/buffer.h"

namespace nnvk::vulkan {

class IoBuffer final : public Buffer {
 public:
  // `host_address`: the host address of the buffer's first byte, for imported memory.
  explicit IoBuffer(Buffer buffer, std::byte* host_address = nullptr)
      : Buffer(std::move(buffer)), id_(new_id()), host_address_(host_address) {}

  // Returns the buffer's id, which is not 0. Unlike a handle, an id is never reused in this process, so a recording for a
  // destroyed buffer matches no other buffer.
  uint64_t id() const { return id_; }
  // Returns a new id, also for memory of inputs and outputs that is not a buffer.
  static uint64_t new_id() { return ++last_id_; }
  const std::byte* host_address() const { return host_address_; }

 private:
  inline static std::atomic<uint64_t> last_id_{0};

  uint64_t id_;
  std::byte* host_address_;
};

}  // namespace nnvk::vulkan
