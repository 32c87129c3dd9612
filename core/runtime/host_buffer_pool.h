// Host memory for values between the parts of a model: what a run no longer needs serves the same value of the next run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace nnvk {

// Thread-safe. Buffers that were handed out may outlive the pool.
class HostBufferPool {
 public:
  // A buffer of any size and content, which goes back to the pool when the last owner lets go. `value` says what it is for: a
  // buffer that held the same value before has the room it needs.
  std::shared_ptr<std::vector<std::byte>> take(uint64_t value);
  // How often a buffer that was taken had to grow.
  uint64_t allocations() const { return shelf_->allocations; }

 private:
  struct Shelf {
    std::mutex mutex;
    std::map<uint64_t, std::vector<std::unique_ptr<std::vector<std::byte>>>> free;  // by value
    std::atomic<uint64_t> allocations{0};
  };

  std::shared_ptr<Shelf> shelf_ = std::make_shared<Shelf>();
};

}  // namespace nnvk
