#include "vulkan/recording/slot_schedule.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace nnvk::vulkan {

std::optional<uint32_t> SlotSchedule::take(const Fitness& fitness, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  std::optional<uint32_t> slot;
  freed_.wait_for(lock, patience, [&] { return (slot = take_locked(fitness)).has_value(); });
  return slot;
}

// Takes a free slot or adds one; returns nothing if all are busy. The caller holds mutex_.
std::optional<uint32_t> SlotSchedule::take_locked(const Fitness& fitness) {
  if (free_.empty()) return made_ < limit_ ? std::optional(made_++) : std::nullopt;
  auto best = free_.rbegin();
  if (fitness && free_.size() > 1) best = std::ranges::max_element(free_.rbegin(), free_.rend(), {}, std::cref(fitness));
  const uint32_t slot = *best;
  free_.erase(std::prev(best.base()));
  return slot;
}

void SlotSchedule::run(Work work, const Fitness& fitness) {
  std::optional<uint32_t> slot;
  {
    const std::lock_guard lock(mutex_);
    slot = take_locked(fitness);
    if (!slot) {
      waiting_.push_back(std::move(work));
      return;
    }
  }
  if (!work(*slot)) release(*slot);
}

void SlotSchedule::release(uint32_t slot) noexcept {
  Work next;
  do {  // a loop instead of recursion: thousands of waiting executions may have missed their deadlines and not need the slot
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) {
      free_.push_back(slot);
      freed_.notify_one();
      return;
    }
    next = std::move(waiting_.front());
    waiting_.pop_front();
  } while (!next(slot));
}

bool SlotSchedule::withdraw(uint32_t slot, Work work) {
  if (slot == 0) return false;
  uint32_t other = 0;
  {
    const std::lock_guard lock(mutex_);
    limit_ = std::min(limit_, slot);
    if (free_.empty()) {
      waiting_.push_front(std::move(work));
      return true;
    }
    other = free_.back();
    free_.pop_back();
  }
  if (!work(other)) release(other);
  return true;
}

}  // namespace nnvk::vulkan
