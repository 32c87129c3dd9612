// A short list in order of use: eight comparisons cost less than a hash of the key.
#include "vulkan/recording/recording_cache.h"

#include <algorithm>

#include "vulkan/recording/recording.h"

namespace nnvk::vulkan {

std::shared_ptr<Recording> RecordingCache::find(std::span<const std::byte> key) {
  const std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (!std::equal(entry->first.begin(), entry->first.end(), key.begin(), key.end())) continue;
    entries_.splice(entries_.begin(), entries_, entry);
    return entries_.front().second;
  }
  return nullptr;
}

void RecordingCache::insert(std::vector<std::byte> key, std::shared_ptr<Recording> recording) {
  std::shared_ptr<Recording> evicted;  // destroyed outside the lock
  const std::lock_guard lock(mutex_);
  entries_.emplace_front(std::move(key), std::move(recording));
  if (entries_.size() <= kCapacity) return;
  evicted = std::move(entries_.back().second);
  entries_.pop_back();
}

}  // namespace nnvk::vulkan
