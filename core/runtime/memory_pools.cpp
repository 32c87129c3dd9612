// Deleters of memory in use hold weak pointers to the shelves, because they may run after the pool is destroyed.
#include "core/runtime/memory_pools.h"

#include "core/base/log.h"
#include "core/runtime/sealed_memory.h"

namespace nnvk {

Result<std::shared_ptr<DeviceMemory>> DeviceMemoryPool::take(Device& device, uint64_t size) {
  const std::pair<const Device*, uint64_t> key(&device, size);
  std::unique_ptr<DeviceMemory> memory = shelf_->take(key);
  while (memory != nullptr && memory->is_lost()) memory = shelf_->take(key);
  if (memory == nullptr) {
    NNVK_ASSIGN(memory, device.allocate({size}));
    if (log_enabled(Detail::kMemory)) {
      log_line(Detail::kMemory, "Memory", std::to_string(size) + " bytes on " + device.info().name + " between two steps");
    }
  }
  const auto give_back = [shelf = std::weak_ptr<Shelf>(shelf_), key](DeviceMemory* done) {
    std::unique_ptr<DeviceMemory> owned(done);
    if (const auto home = shelf.lock()) home->put_back(key, std::move(owned));
  };
  return std::shared_ptr<DeviceMemory>(memory.release(), give_back);
}

std::shared_ptr<std::vector<std::byte>> HostBufferPool::take(uint64_t value) {
  std::unique_ptr<std::vector<std::byte>> buffer = shelf_->take(value);
  if (buffer == nullptr) buffer = std::make_unique<std::vector<std::byte>>();
  const auto give_back = [shelf = std::weak_ptr<Shelf>(shelf_), value,
                          capacity = buffer->capacity()](std::vector<std::byte>* done) {
    std::unique_ptr<std::vector<std::byte>> owned(done);
    if (const auto home = shelf.lock()) {
      if (owned->capacity() > capacity) ++home->allocations;
      home->put_back(value, std::move(owned));
    }
  };
  return {buffer.release(), give_back};
}

Result<std::shared_ptr<MappedMemory>> SharedMemoryPool::take(uint64_t size) {
  std::unique_ptr<MappedMemory> memory = shelf_->take(size);
  if (memory == nullptr) {
    NNVK_ASSIGN(memory, make_sealed_memory(size));
  }
  const auto give_back = [shelf = std::weak_ptr<Shelf>(shelf_), size](MappedMemory* done) {
    std::unique_ptr<MappedMemory> owned(done);
    if (const auto home = shelf.lock()) home->put_back(size, std::move(owned));
  };
  return std::shared_ptr<MappedMemory>(memory.release(), give_back);
}

}  // namespace nnvk
