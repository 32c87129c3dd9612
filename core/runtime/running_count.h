// Counts the executions that use an object, so that its destructor can wait for them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>

namespace nnvk {

class RunningCount {
 public:
  void enter() {
    const std::lock_guard lock(mutex_);
    ++running_;
  }
  // Counts one user less. It notifies under the lock, because the waiting thread may destroy the count at once.
  void leave() {
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) none_running_.notify_all();
  }
  // Counts one user while it lives. After release(), the Entry no longer does that, and its new owner calls leave().
  class Entry;
  // Counts one user more until the last copy of the returned pointer is destroyed.
  std::shared_ptr<void> hold() {
    enter();
    return {nullptr, [this](void*) { leave(); }};
  }
  void wait_until_none() {
    std::unique_lock lock(mutex_);
    none_running_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable none_running_;
  size_t running_ = 0;
};

class RunningCount::Entry {
 public:
  explicit Entry(RunningCount& count) : count_(&count) { count.enter(); }
  ~Entry() {
    if (count_ != nullptr) count_->leave();
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  void release() { count_ = nullptr; }

 private:
  RunningCount* count_;
};

}  // namespace nnvk
