// Descriptors that children of fork must not keep. A plugin host lives as long as any process holds the client's end of its
// socket.
#pragma once

#include <mutex>

namespace nnvk::accelerators {

// While this lives, a child of fork first closes both descriptors (negative: none). The child must not use the objects that own
// them.
class ClosedInChildren {
 public:
  // Prevents forks while it is held: from before the descriptors are made until this object knows them.
  static std::unique_lock<std::mutex> hold_off_fork();

  ClosedInChildren(const std::unique_lock<std::mutex>& held, int first, int second);
  ~ClosedInChildren();
  ClosedInChildren(const ClosedInChildren&) = delete;
  ClosedInChildren& operator=(const ClosedInChildren&) = delete;

 private:
  struct All;

  const int first_;
  const int second_;
  // Guarded by the mutex of All, like the links of its list.
  ClosedInChildren* previous_ = nullptr;
  ClosedInChildren* next_ = nullptr;
};

}  // namespace nnvk::accelerators
