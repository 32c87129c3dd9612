// Device memory for values between the parts of a model: what a run no longer needs serves the next value of that size.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/device.h"

namespace nnvk {

// Thread-safe. Memory that was handed out may outlive the pool; the device must outlive both.
class DeviceMemoryPool {
 public:
  explicit DeviceMemoryPool(Device& device) : device_(device), shelf_(std::make_shared<Shelf>()) {}

  // Memory of exactly `size` bytes, which goes back to the pool when the last owner lets go. The device's error when there is
  // none.
  Result<std::shared_ptr<DeviceMemory>> take(uint64_t size);

 private:
  struct Shelf {
    std::mutex mutex;
    std::map<uint64_t, std::vector<std::unique_ptr<DeviceMemory>>> free;  // by size
  };

  Device& device_;
  std::shared_ptr<Shelf> shelf_;
};

}  // namespace nnvk
