// Limits how much device memory nnvk holds at a time. Pure. Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace nnvk::vulkan {

class MemoryBudget {
 public:
  // A limit of 0 means that there is no limit.
  explicit MemoryBudget(uint64_t limit) : limit_(limit) {}

  // Reserves `bytes` for `what`. RESOURCE_EXHAUSTED_PERSISTENT if they alone exceed the budget, _TRANSIENT if they exceed it
  // together with the bytes held now.
  Status take(uint64_t bytes, std::string_view what) {
    const std::lock_guard lock(mutex_);
    if (limit_ != 0 && (bytes > limit_ || held_ > limit_ - bytes)) {
      const bool alone = bytes > limit_;
      return fail(
          alone ? Code::kResourceExhaustedPersistent : Code::kResourceExhaustedTransient,
          std::string(what) + " needs " + std::to_string(bytes) + " bytes of device memory, the budget of the device is " +
              std::to_string(limit_) +
              (alone ? "; import the device with a larger memoryBudget"
                     : " and " + std::to_string(held_) +
                           " are in use; free compilations and memories, or import the device with a larger memoryBudget"));
    }
    held_ += bytes;
    return {};
  }
  void give_back(uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    held_ -= bytes;
  }
  uint64_t held() const {
    const std::lock_guard lock(mutex_);
    return held_;
  }

 private:
  const uint64_t limit_;
  mutable std::mutex mutex_;
  uint64_t held_ = 0;
};

}  // namespace nnvk::vulkan
