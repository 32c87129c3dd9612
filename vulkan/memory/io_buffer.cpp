// Identities.
#include "vulkan/memory/io_buffer.h"

#include <atomic>

namespace nnvk::vulkan {
namespace {

uint64_t next_id() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace

IoBuffer::IoBuffer(Buffer buffer, std::byte* host_address)
    : id_(next_id()), buffer_(std::move(buffer)), host_address_(host_address) {}

}  // namespace nnvk::vulkan
