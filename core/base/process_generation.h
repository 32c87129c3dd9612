// Distinguishes a process from its parent: threads, locks that they held and connections to devices do not survive a fork.
#pragma once

#include <cstdint>
#include <mutex>

namespace nnvk {

// One more in every child of fork than in its parent, never 0. An object that stores it can tell whether this process made it. As
// cheap as reading a variable. Does not see raw clone() and vfork(), after which only exec is allowed anyway.
uint32_t process_generation();

// A lock of the whole process that is free in a child of fork, even if a thread of the parent held it. Therefore the guarded data
// must be valid at any moment, or the child must not use it. Only for objects with static storage.
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
