// Assigns slots of a recording to work. If all slots are busy, adds a new one, up to a limit; further work waits in order. No
// Vulkan: slots are numbers here.
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
  // The schedule calls the work once with a slot; it must not throw. True: the work uses the slot until release(). False: the
  // work does not need the slot, and the next work gets it.
  using Work = std::function<bool(uint32_t slot)>;

  // How well a free slot suits some work: the work gets the best slot, and among equals the last used. The schedule calls it
  // while locked, for free slots only.
  using Fitness = std::function<int64_t(uint32_t slot)>;

  explicit SlotSchedule(uint32_t limit) : limit_(limit) { free_.reserve(limit); }

  // Runs `work` now on this thread if a slot is free or may be added, else later on the thread that releases one. Never waits.
  // Throws std::bad_alloc, without effect, if there is no memory to store the work.
  void run(Work work, const Fitness& fitness = nullptr);
  // A slot that is free or may be added, for the caller to use until release(). If all are busy, waits up to `patience`, then
  // returns nothing.
  std::optional<uint32_t> take(const Fitness& fitness, std::chrono::milliseconds patience);
  // Gives the slot to the work that has waited longest, which runs on this thread, or marks it free.
  void release(uint32_t slot) noexcept;
  // Call it if there is no memory to make `slot`. True: the slot is withdrawn for good, and `work` waits for another one. False
  // for slot 0, since there may be no other slot to wait for: the caller fails the work and returns false, so that later work
  // tries again.
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
