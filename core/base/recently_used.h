// A short list of the values that were used last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <utility>

namespace nnvk {

// Keeps the `most` values that were used last. Meant for a few values: comparing them costs less than a hash. Not thread-safe.
template <class T>
class RecentlyUsed {
 public:
  explicit RecentlyUsed(size_t most) : most_(most) {}

  // Returns the value for which `fits` is true, which counts as a use; null if there is none. Valid until add().
  template <class Fits>
  const T* find(const Fits& fits) {
    const auto found = std::ranges::find_if(values_, fits);
    if (found == values_.end()) return nullptr;
    values_.splice(values_.begin(), values_, found);
    return &values_.front();
  }
  // Adds a value. If there are too many then, drops the one whose last use is the longest ago, and returns it; else returns T().
  T add(T value) {
    values_.push_front(std::move(value));
    if (values_.size() <= most_) return T();
    T dropped = std::move(values_.back());
    values_.pop_back();
    return dropped;
  }
  // Returns the values, the last used first.
  const std::list<T>& values() const { return values_; }

 private:
  const size_t most_;
  std::list<T> values_;
};

}  // namespace nnvk
