// Signals belong to the application: nnvk's threads receive none of them, and nnvk's calls raise none.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <cerrno>
#include <ctime>

namespace nnvk {

// Blocks all signals of the calling thread while the object lives. Threads that it starts meanwhile inherit the blocked signals.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

// A write beyond RLIMIT_FSIZE raises SIGXFSZ in the writing thread; an unhandled SIGXFSZ ends the process. While this object
// lives, the write only fails with EFBIG. The destructor keeps errno.
class FileSizeSignalBlocked {
 public:
  FileSizeSignalBlocked() {
    ::sigemptyset(&signal_);
    ::sigaddset(&signal_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    was_pending_ = is_pending();
  }
  ~FileSizeSignalBlocked() {
    const int error = errno;
    if (!was_pending_ && is_pending()) {  // raised by a write in this scope: remove it
      constexpr timespec kNow{};
      while (::sigtimedwait(&signal_, nullptr, &kNow) < 0 && errno == EINTR) {
      }
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  FileSizeSignalBlocked(const FileSizeSignalBlocked&) = delete;
  FileSizeSignalBlocked& operator=(const FileSizeSignalBlocked&) = delete;

 private:
  static bool is_pending() {
    sigset_t pending;
    return ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGXFSZ) == 1;
  }
  sigset_t signal_;
  sigset_t before_;
  bool was_pending_ = false;
};

}  // namespace nnvk
