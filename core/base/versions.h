// A value that one thread replaces while others read it without a lock.
#pragma once

#include <atomic>
#include <list>
#include <utility>

namespace nnvk {

// A value that changes a few times per process. The object keeps every value that it ever had, because threads may still read an
// old one.
template <class T>
class Versions {
 public:
  explicit Versions(T first = {}) { replace(std::move(first)); }
  Versions(const Versions&) = delete;
  Versions& operator=(const Versions&) = delete;

  // Returns the current value. The reference stays valid, and its value unchanged, as long as this object lives. Thread-safe.
  const T& current() const { return *current_.load(std::memory_order_acquire); }
  // Makes `next` the current value. Only one thread at a time may call it.
  void replace(T next) {
    all_.push_back(std::move(next));
    current_.store(&all_.back(), std::memory_order_release);
  }

 private:
  std::list<T> all_;
  std::atomic<const T*> current_;
};

}  // namespace nnvk
