// Signals belong to the application: nnvk's threads receive none of them, and nnvk's calls raise none.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <cerrno>
#include <ctime>

namespace nnvk {

// Threads that are started while this lives do not take signals of the process.
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

// Files that grow beyond RLIMIT_FSIZE raise SIGXFSZ in the thread that writes, which ends the process unless it expects it. While
// this lives the call only fails with EFBIG. Keeps errno.
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
    if (!was_pending_ && is_pending()) {  // of our own making
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
