// Descriptors that children of fork must not keep: as long as any process holds a client's end of a socket, the plugin host at
// the other end lives on.
#pragma once

#include <mutex>

namespace nnvk::accelerators {

// While this lives, a child of fork closes both descriptors (negative: none) before it does anything else; the objects that own
// them are of no use in the child, which leaves them alone.
class ClosedInChildren {
 public:
  // No fork happens while this is held: from before the descriptors are made until they stand here.
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
