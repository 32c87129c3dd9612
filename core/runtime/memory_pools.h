// Memory for values between the parts of a model: a run reuses the memory that earlier runs have released.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/out_of_memory.h"
#include "core/base/result.h"
#include "core/runtime/device.h"

namespace nnvk {

// Released memory that waits for its next use.
template <class Key, class Memory>
struct MemoryShelf {
  std::mutex mutex;
  std::map<Key, std::vector<std::unique_ptr<Memory>>> free;

  // Takes memory for `key` off the shelf; returns null if the shelf has none.
  std::unique_ptr<Memory> take(const Key& key) {
    const std::lock_guard lock(mutex);
    auto& known = free[key];
    if (known.empty()) return nullptr;
    std::unique_ptr<Memory> memory = std::move(known.back());
    known.pop_back();
    return memory;
  }
  // Puts memory on the shelf; if there is no memory for an entry there, frees `memory`. Deleters call this.
  void put_back(const Key& key, std::unique_ptr<Memory> memory) noexcept {
    static_cast<void>(catch_out_of_memory([&]() -> Status {
      const std::lock_guard lock(mutex);
      free[key].push_back(std::move(memory));
      return {};
    }));
  }
};

// Lends memory of devices, and keeps what returns for the next use. The pool is thread-safe. Memory that was handed out may
// outlive the pool; devices must outlive both.
class DeviceMemoryPool {
 public:
  // Returns memory of exactly `size` bytes, which returns to the pool when the last owner releases it, or the device's error.
  Result<std::shared_ptr<DeviceMemory>> take(Device& device, uint64_t size);

 private:
  using Shelf = MemoryShelf<std::pair<const Device*, uint64_t>, DeviceMemory>;
  std::shared_ptr<Shelf> shelf_ = std::make_shared<Shelf>();
};

// Lends buffers in host memory, which their users may make larger. The pool is thread-safe. Buffers that were handed out may
// outlive the pool.
class HostBufferPool {
 public:
  // Returns a buffer of any size and content, which returns to the pool when the last owner releases it. `value` identifies its
  // purpose: a buffer that held the same value before is usually large enough.
  std::shared_ptr<std::vector<std::byte>> take(uint64_t value);
  // Returns how many buffers had grown after take() when they returned.
  uint64_t allocations() const { return shelf_->allocations; }

 private:
  struct Shelf : MemoryShelf<uint64_t, std::vector<std::byte>> {
    std::atomic<uint64_t> allocations{0};
  };
  std::shared_ptr<Shelf> shelf_ = std::make_shared<Shelf>();
};

// Lends memory that other processes can map. The pool is thread-safe. Memory that was handed out may outlive the pool. When it
// returns, it keeps the devices' attachments (imports).
class SharedMemoryPool {
 public:
  // Returns memory of at least `size` bytes that other processes can map (sealed_memory.h); its last owner returns it to the
  // pool.
  Result<std::shared_ptr<MappedMemory>> take(uint64_t size);

 private:
  using Shelf = MemoryShelf<uint64_t, MappedMemory>;
  std::shared_ptr<Shelf> shelf_ = std::make_shared<Shelf>();
};

}  // namespace nnvk
