// Like the pool of device memory, but buffers grow in the hands of their users.
#include "core/runtime/host_buffer_pool.h"

#include <utility>

namespace nnvk {

std::shared_ptr<std::vector<std::byte>> HostBufferPool::take(uint64_t value) {
  std::unique_ptr<std::vector<std::byte>> buffer;
  {
    const std::lock_guard lock(shelf_->mutex);
    auto& free = shelf_->free[value];
    if (!free.empty()) {
      buffer = std::move(free.back());
      free.pop_back();
    }
  }
  if (buffer == nullptr) buffer = std::make_unique<std::vector<std::byte>>();
  const auto give_back = [shelf = std::weak_ptr<Shelf>(shelf_), value,
                          capacity = buffer->capacity()](std::vector<std::byte>* done) {
    std::unique_ptr<std::vector<std::byte>> owned(done);
    if (const auto home = shelf.lock()) {
      if (owned->capacity() > capacity) ++home->allocations;
      const std::lock_guard lock(home->mutex);
      home->free[value].push_back(std::move(owned));
    }
  };
  return {buffer.release(), give_back};
}

}  // namespace nnvk
