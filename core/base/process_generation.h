// Tells a process from its parent, for what does not survive a fork: threads, locks that they held, connections to devices.
#pragma once

#include <cstdint>
#include <mutex>

namespace nnvk {

// One more in every child of fork than in its parent, never 0: what remembers it knows whether it was made in this process. As
// cheap as reading a variable. Does not see raw clone() and vfork(), after which only exec is allowed anyway.
uint32_t process_generation();

// A lock of the whole process that no thread of the parent holds in a child of fork: there it is free. What it guards must be
// fit for use at any moment, or be left behind by the child. Only for objects with static storage.
class MutexOfProcess {
 public:
  MutexOfProcess();
  MutexOfProcess(const MutexOfProcess&) = delete;
  MutexOfProcess& operator=(const MutexOfProcess&) = delete;
  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  friend struct ForkHandler;
  std::mutex mutex_;
  MutexOfProcess* next_ = nullptr;
};

}  // namespace nnvk
