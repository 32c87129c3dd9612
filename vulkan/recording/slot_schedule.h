// Which slot of a recording runs which work. Slots are made when all others are busy, up to a limit; further work waits in order.
// No Vulkan: slots are numbers here.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace nnvk::vulkan {

class SlotSchedule {
 public:
  // Called once with a slot; throws nothing. True: it uses the slot until release(). False: it has no use for the slot, the next
  // work gets it.
  using Work = std::function<bool(uint32_t slot)>;

  // How well a free slot suits some work: the best one gets it, of equals the one that was used last. Called with the schedule
  // locked, for slots that nobody uses.
  using Fitness = std::function<int64_t(uint32_t slot)>;

  explicit SlotSchedule(uint32_t limit) : limit_(limit) { free_.reserve(limit); }

  // Runs `work` now on this thread if a slot is free or may be added, else later on the thread that releases one. Never waits.
  // Where there is no memory to remember it, std::bad_alloc is thrown and nothing has happened.
  void run(Work work, const Fitness& fitness = nullptr);
  // A slot that is free or may be added, for the caller to use until release(). When all are busy, waits for one as long as
  // `patience`; nothing then.
  std::optional<uint32_t> take(const Fitness& fitness, std::chrono::milliseconds patience);
  // Gives the slot to the work that waits longest, which runs on this thread, or keeps it for later.
  void release(uint32_t slot) noexcept;
  // `slot` cannot be made (no memory). True: it is withdrawn for good, and `work` waits for another slot. False for slot 0,
  // without which there is nothing to wait for: the caller fails the work and returns false, so that later work tries again.
  bool withdraw(uint32_t slot, Work work);

 private:
  std::optional<uint32_t> take_locked(const Fitness& fitness);
  uint32_t take_free(const Fitness& fitness);

  std::mutex mutex_;
  uint32_t limit_;
  uint32_t made_ = 0;
  std::vector<uint32_t> free_;  // most recently used last: its memory is warm
  std::deque<Work> waiting_;
  std::condition_variable freed_;
};

}  // namespace nnvk::vulkan
