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
  // Work that the schedule calls once with a slot; it must not throw. It returns true if it uses the slot until release(), and
  // false if it does not need the slot, which the next work then gets.
  using Work = std::function<bool(uint32_t slot)>;

  // Returns how well a free slot suits some work: the work gets the best slot, and among equals the last used. The schedule calls
  // it while locked, for free slots only.
  using Fitness = std::function<int64_t(uint32_t slot)>;

  explicit SlotSchedule(uint32_t limit) : limit_(limit) { free_.reserve(limit); }

  // Runs `work` now on this thread if a slot is free or may be added, else later on the thread that releases one. Never waits.
  // Throws std::bad_alloc, without effect, if there is no memory to store the work.
  void run(Work work, const Fitness& fitness = nullptr);
  // Takes a slot that is free or may be added, for the caller to use until release(). If all are busy, waits up to `patience`,
  // then returns nothing.
  std::optional<uint32_t> take(const Fitness& fitness, std::chrono::milliseconds patience);
  // Gives the slot to the work that has waited longest, which runs on this thread, or marks it free.
  void release(uint32_t slot) noexcept;
  // Withdraws `slot`, which could not be made for lack of memory. Call it from a Work. The schedule never gives out this slot
  // again, and adds no further slots. If another slot is free, the schedule runs `work` with it at once on this thread; otherwise
  // `work` waits, first in line. Returns true then. For slot 0 it does nothing and returns false, because no other slot may
  // exist: the caller fails its work and returns false from the Work, so that later work gets slot 0 and tries to make it again.
  bool withdraw(uint32_t slot, Work work);

 private:
  std::optional<uint32_t> take_locked(const Fitness& fitness);

  std::mutex mutex_;
  uint32_t limit_;
  uint32_t made_ = 0;
  std::vector<uint32_t> free_;  // most recently used last: its memory is warm
  std::deque<Work> waiting_;
  std::condition_variable freed_;
};

}  // namespace nnvk::vulkan
