// Keeps values for the sets of shapes that were used last. Several keys can lead to one value: an execution may give the shapes
// of its outputs or leave them to the plan, and means the same. Thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "core/base/recently_used.h"

namespace nnvk::vulkan {

template <class Value>
class ByShapes {
 public:
  using Key = std::vector<std::byte>;

  explicit ByShapes(size_t most) : entries_(most) {}

  // Returns the value of a key; null if there is none.
  std::shared_ptr<Value> find(std::span<const std::byte> key) {
    const std::lock_guard lock(mutex_);
    const auto* const found = entry_of(key);
    return found != nullptr ? (*found)->value : nullptr;
  }
  // Returns the value of a key. From now on `other` leads to it as well.
  std::shared_ptr<Value> find(std::span<const std::byte> key, const Key& other) {
    const std::lock_guard lock(mutex_);
    const auto* const found = entry_of(key);
    if (found == nullptr) return nullptr;
    Entry& entry = **found;
    if (std::ranges::find(entry.keys, other) == entry.keys.end()) {
      if (entry.keys.size() == kMostKeys) entry.keys.erase(entry.keys.begin() + 1);
      entry.keys.push_back(other);
    }
    return entry.value;
  }
  // Adds a value under a key. May drop the value whose last use is the longest ago.
  void add(Key key, std::shared_ptr<Value> value) {
    std::shared_ptr<Entry> dropped;  // destroyed outside the lock
    const std::lock_guard lock(mutex_);
    dropped = entries_.add(std::make_shared<Entry>(Entry{{std::move(key)}, std::move(value)}));
  }

 private:
  static constexpr size_t kMostKeys = 4;  // outputs as declared, as they follow, and partly given
  struct Entry {
    std::vector<Key> keys;  // first that of add()
    std::shared_ptr<Value> value;
  };

  const std::shared_ptr<Entry>* entry_of(std::span<const std::byte> key) {
    const auto is_key = [&](const Key& known) { return std::ranges::equal(known, key); };
    return entries_.find([&](const auto& entry) { return std::ranges::any_of(entry->keys, is_key); });
  }

  std::mutex mutex_;
  RecentlyUsed<std::shared_ptr<Entry>> entries_;
};

}  // namespace nnvk::vulkan
