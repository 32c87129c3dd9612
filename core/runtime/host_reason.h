// The reasons why a fenced execution is not queued behind its pending dependencies: the host launches it when they have
// signalled.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace nnvk {

enum class HostReason : uint8_t { kForeignFence, kNoQueue, kPicture, kSemaphores, kNeedsHost };

// The names of the reasons in nnvk_describeCompilation(), in their order.
inline constexpr std::array kHostReasonNames{"foreign_fence", "no_queue", "picture", "semaphores", "needs_host"};

// Counts launches by the host, per reason. Thread-safe.
class HostLaunches {
 public:
  void add(HostReason reason) { counts_[static_cast<size_t>(reason)].fetch_add(1, std::memory_order_relaxed); }
  uint64_t count(size_t reason) const { return counts_[reason].load(std::memory_order_relaxed); }
  uint64_t total() const {
    uint64_t total = 0;
    for (const auto& count : counts_) total += count.load(std::memory_order_relaxed);
    return total;
  }

 private:
  std::array<std::atomic<uint64_t>, kHostReasonNames.size()> counts_{};
};

}  // namespace nnvk
