// A simple map suffices: few runs have deadlines, and the completion thread checks them only while it waits.
#include "vulkan/queue/deadline_watch.h"

#include <utility>

namespace nnvk::vulkan {

void DeadlineWatch::add(uint64_t id, Time when, Look look) {
  const std::lock_guard lock(mutex_);
  entries_.insert_or_assign(id, Entry{when, std::move(look)});
}

void DeadlineWatch::remove(uint64_t id) {
  std::map<uint64_t, Entry>::node_type gone;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  gone = entries_.extract(id);
}

// Moves map nodes from one map to the other instead of copying entries, so it allocates nothing.
void DeadlineWatch::look(Time now) noexcept {
  std::map<uint64_t, Entry> due;
  {
    const std::lock_guard lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      const auto here = entry++;
      if (here->second.when <= now) due.insert(entries_.extract(here));
    }
  }
  while (!due.empty()) {
    auto entry = due.extract(due.begin());
    const auto again = entry.mapped().look();
    if (!again) continue;
    entry.mapped().when = *again;
    const std::lock_guard lock(mutex_);
    entries_.insert(std::move(entry));
  }
}

}  // namespace nnvk::vulkan
