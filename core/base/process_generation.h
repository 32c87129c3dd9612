// Distinguishes a process from its parent: threads, the locks that they hold and connections to devices do not survive a fork.
#pragma once

#include <cstdint>
#include <mutex>

namespace nnvk {

// Returns a number, never 0, that is one higher in every child of fork than in its parent: an object that stores it can tell
// whether this process made it. Costs as much as reading a variable. Raw clone() and vfork() do not change the number.
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
