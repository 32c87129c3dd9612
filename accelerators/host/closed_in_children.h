// Descriptors that children of fork must close: a plugin host lives as long as any process holds the client's end of its socket.
#pragma once

#include <mutex>

namespace nnvk::accelerators {

// While an object of this class lives, every child of fork first closes both descriptors (negative: none). The child must not use
// the objects that own the descriptors.
class ClosedInChildren {
 public:
  // Prevents forks while the lock is held: take it before making the descriptors, and keep it until this object knows them.
  static std::unique_lock<std::mutex> hold_off_fork();

  ClosedInChildren(const std::unique_lock<std::mutex>& held, int first, int second);
  ~ClosedInChildren();
  ClosedInChildren(const ClosedInChildren&) = delete;
  ClosedInChildren& operator=(const ClosedInChildren&) = delete;

 private:
  struct All;

  const int first_;
  const int second_;
  // The mutex of All guards these links, like All's list itself.
  ClosedInChildren* previous_ = nullptr;
  ClosedInChildren* next_ = nullptr;
};

}  // namespace nnvk::accelerators
