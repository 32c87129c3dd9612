// A fence is pending now and will be signalled, or fail, exactly once: the end of a submission, a dependency of a fenced
// execution, or a foreign file descriptor. Cheap to copy; all copies are the same fence.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "core/base/result.h"

namespace nnvk {

class Fence {
 public:
  enum class State { kPending, kSignalled, kError };

  // Returns a pending fence, which signal() or fail() settles.
  static Fence pending();
  static Fence already_signalled();
  // Returns a pending fence that calls `gone` when its last copy is destroyed, settled or not, on the thread that destroys it.
  static Fence pending_until_gone(std::function<void()> gone);

  State state() const;
  // Returns the result of a settled fence. Requires state() != State::kPending.
  Status result() const;
  // Blocks until the fence has settled, and returns its result.
  Status wait() const;
  // Blocks until the fence has settled, but not longer than until `time`. Returns false if the fence is still pending; its work
  // continues.
  bool wait_until(std::chrono::steady_clock::time_point time) const;
  // Calls `callback` once the fence has settled: on the settling thread, or at once on this thread if it already has. Callbacks
  // must be short and must not throw. If a callback settles another fence, that fence's callbacks run after it, so long chains of
  // fences need no deep stack. Throws std::bad_alloc if there is no memory for `callback`.
  void on_settled(std::function<void(const Status&)> callback) const;

  // Settles the fence, wakes waiters and runs callbacks on this thread; later calls do nothing. Needs no memory.
  void settle(Status result) const;
  void signal() const { settle({}); }
  void fail(Error error) const { settle(nnvk::fail(std::move(error))); }

  // Observes a fence without counting as a copy.
  class Weak;
  Weak weak() const;

 private:
  struct Shared;
  explicit Fence(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  std::shared_ptr<Shared> shared_;
};

// Waits for a fence when destroyed, unless release() was called. For code that starts work and then registers a callback for its
// end: if there is no memory for the callback, it must wait, because the work uses objects that are destroyed next.
class AwaitUnlessHandedOn {
 public:
  explicit AwaitUnlessHandedOn(const Fence& fence) : fence_(&fence) {}
  ~AwaitUnlessHandedOn() {
    if (fence_ != nullptr) static_cast<void>(fence_->wait());
  }
  AwaitUnlessHandedOn(const AwaitUnlessHandedOn&) = delete;
  AwaitUnlessHandedOn& operator=(const AwaitUnlessHandedOn&) = delete;
  void release() { fence_ = nullptr; }

 private:
  const Fence* fence_;
};

class Fence::Weak {
 public:
  // Returns the fence, or nothing once its last copy is destroyed.
  std::optional<Fence> lock() const;

 private:
  friend class Fence;
  explicit Weak(std::weak_ptr<Shared> shared) : shared_(std::move(shared)) {}
  std::weak_ptr<Shared> shared_;
};

// Returns a fence that signals once all `fences` have signalled, and fails as soon as one of them fails. Never blocks.
Fence when_all(std::span<const Fence> fences);
// Returns a fence that settles once all `fences` have settled. If some failed, it fails with the error of the first of these.
Fence when_all_settled(std::span<const Fence> fences);

}  // namespace nnvk
