// Few runs have deadlines, and they are looked at only while the device keeps everybody waiting: a list will do.
#include "vulkan/recording/deadline_watch.h"

#include <utility>
#include <vector>

namespace nnvk::vulkan {

void DeadlineWatch::add(uint64_t id, Time when, Look look) {
  const std::lock_guard lock(mutex_);
  entries_.insert_or_assign(id, Entry{when, std::move(look)});
}

void DeadlineWatch::remove(uint64_t id) {
  Look gone;  // what it holds goes without the lock
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(id);
  if (entry == entries_.end()) return;
  gone = std::move(entry->second.look);
  entries_.erase(entry);
}

void DeadlineWatch::look(Time now) {
  std::vector<std::pair<uint64_t, Look>> due;
  {
    const std::lock_guard lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      const auto here = entry++;
      if (here->second.when > now) continue;
      due.emplace_back(here->first, std::move(here->second.look));
      entries_.erase(here);
    }
  }
  for (auto& [id, look] : due) {
    if (const auto again = look()) add(id, *again, std::move(look));
  }
}

}  // namespace nnvk::vulkan
