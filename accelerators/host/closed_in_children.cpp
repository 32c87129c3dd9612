#include "accelerators/host/closed_in_children.h"

#include <pthread.h>
#include <unistd.h>

namespace nnvk::accelerators {

// The list of all objects. Nothing here has a destructor, because a process may exit or fork at any time.
struct ClosedInChildren::All {
  static inline std::mutex mutex;
  static inline ClosedInChildren* first = nullptr;
  static inline bool fork_is_handled = false;

  static void close_in_child() {
    for (const ClosedInChildren* entry = first; entry != nullptr; entry = entry->next_) {
      if (entry->first_ >= 0) ::close(entry->first_);
      if (entry->second_ >= 0) ::close(entry->second_);
    }
    first = nullptr;
    mutex.unlock();
  }
};

std::unique_lock<std::mutex> ClosedInChildren::hold_off_fork() {
  std::unique_lock lock(All::mutex);
  if (!All::fork_is_handled) {
    All::fork_is_handled = ::pthread_atfork([] { All::mutex.lock(); }, [] { All::mutex.unlock(); }, All::close_in_child) == 0;
  }
  return lock;
}

ClosedInChildren::ClosedInChildren(const std::unique_lock<std::mutex>& /*held*/, int first, int second)
    : first_(first), second_(second), next_(All::first) {
  if (All::first != nullptr) All::first->previous_ = this;
  All::first = this;
}

ClosedInChildren::~ClosedInChildren() {
  const std::lock_guard lock(All::mutex);
  (previous_ == nullptr ? All::first : previous_->next_) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

}  // namespace nnvk::accelerators
