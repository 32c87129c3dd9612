#include "vulkan/queue/queue_hazards.h"

#include <algorithm>

namespace nnvk::vulkan {
namespace {

bool conflict(const MemoryAccess& a, const MemoryAccess& b) {
  return a.buffer == b.buffer && a.is_of_slot == b.is_of_slot && (a.writes || b.writes) && a.begin < b.end && b.begin < a.end;
}

}  // namespace

bool QueueHazards::must_wait(std::span<const MemoryAccess> accesses, uint64_t behind) const {
  if (wait_for_all_ || behind > ordered_up_to_) return true;
  return std::ranges::any_of(accesses, [&](const MemoryAccess& access) {
    return std::ranges::any_of(since_barrier_, [&](const Entry& entry) { return conflict(entry.access, access); });
  });
}

bool QueueHazards::add(uint64_t number, std::span<const MemoryAccess> accesses, uint64_t behind) {
  const bool waits = must_wait(accesses, behind);
  since_barrier_.reserve(since_barrier_.size() + accesses.size());  // on an exception nothing has changed
  if (waits) {
    since_barrier_.clear();
    ordered_up_to_ = number - 1;
    wait_for_all_ = false;
  }
  if (since_barrier_.size() + accesses.size() > kMostAccesses) {
    add_unknown();
    return waits;
  }
  for (const MemoryAccess& access : accesses) since_barrier_.push_back({number, access});
  return waits;
}

void QueueHazards::add_unknown() {
  since_barrier_.clear();
  wait_for_all_ = true;
}

void QueueHazards::forget(uint64_t number) {
  std::erase_if(since_barrier_, [&](const Entry& entry) { return entry.number == number && entry.access.is_of_slot; });
}

}  // namespace nnvk::vulkan
