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
  // Notifies under the lock, because the waiting thread may destroy the count at once.
  void leave() {
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) none_running_.notify_all();
  }
  // An Entry counts as entered while it lives; after release(), its new owner calls leave().
  class Entry;
  // Counts as entered until the last copy of the returned pointer is destroyed.
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
