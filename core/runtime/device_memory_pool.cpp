// The shelf is shared with the memory's deleter, which may run after the pool is gone.
#include "core/runtime/device_memory_pool.h"

#include <utility>

#include "core/base/log.h"

namespace nnvk {

Result<std::shared_ptr<DeviceMemory>> DeviceMemoryPool::take(uint64_t size) {
  std::unique_ptr<DeviceMemory> memory;
  {
    const std::lock_guard lock(shelf_->mutex);
    auto& free = shelf_->free[size];
    if (!free.empty()) {
      memory = std::move(free.back());
      free.pop_back();
    }
  }
  if (memory == nullptr) {
    NNVK_ASSIGN(memory, device_.allocate({size}));
    if (log_enabled(Detail::kMemory)) {
      log_line(Detail::kMemory, "Memory", std::to_string(size) + " bytes on " + device_.info().name + " between two steps");
    }
  }
  const auto give_back = [shelf = std::weak_ptr<Shelf>(shelf_), size](DeviceMemory* done) {
    std::unique_ptr<DeviceMemory> owned(done);
    if (const auto home = shelf.lock()) {
      const std::lock_guard lock(home->mutex);
      home->free[size].push_back(std::move(owned));
    }
  };
  return std::shared_ptr<DeviceMemory>(memory.release(), give_back);
}

}  // namespace nnvk
