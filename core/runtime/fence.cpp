// The state that all copies of a fence share: it settles once, and many may wait for it.
#include "core/runtime/fence.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/trace.h"

namespace nnvk {

struct Fence::Shared : std::enable_shared_from_this<Fence::Shared> {
  using Callbacks = std::vector<std::function<void(const Status&)>>;
  // The end of the list of fences whose callbacks this thread still has to run; null while no callback is running. A plain
  // pointer has no destructor: threads may outlive the library.
  static inline thread_local Shared* last_settled = nullptr;

  std::mutex mutex;
  std::condition_variable settled_event;
  bool settled = false;
  Status result;
  Callbacks callbacks;           // guarded by `mutex` until it has settled; then only the settling thread uses them
  std::shared_ptr<Shared> next;  // whose callbacks run after those of this one

  void run_callbacks() {
    for (const auto& callback : callbacks) callback(result);
    callbacks.clear();
  }

  // Settles the fence. Callbacks run outside the lock, because they may use this fence or settle other ones. `now` keeps the
  // state alive even if waiters wake up and release the last other copy. The function needs no memory, because settling must not
  // fail.
  void settle(Status status) noexcept {
    std::shared_ptr<Shared> now = shared_from_this();
    {
      const std::lock_guard lock(mutex);
      if (settled) return;
      settled = true;
      result = std::move(status);
    }
    settled_event.notify_all();
    if (last_settled != nullptr) {
      Shared* const before = std::exchange(last_settled, this);
      before->next = std::move(now);
      return;
    }
    last_settled = this;
    while (now != nullptr) {
      now->run_callbacks();
      now = std::shared_ptr<Shared>(std::move(now->next));
    }
    last_settled = nullptr;
  }
};

Fence Fence::pending() { return Fence(std::make_shared<Shared>()); }

Fence Fence::already_signalled() {
  Fence fence = pending();
  fence.signal();
  return fence;
}

Fence Fence::pending_until_gone(std::function<void()> gone) {
  // This calls `gone` even if there is no memory for the fence's shared pointer.
  auto shared = std::make_unique<Shared>();
  return Fence(std::shared_ptr<Shared>(shared.release(), [gone = std::move(gone)](Shared* last) {
    delete last;
    gone();
  }));
}

Fence::Weak Fence::weak() const { return Weak(shared_); }

std::optional<Fence> Fence::Weak::lock() const {
  auto shared = shared_.lock();
  if (shared == nullptr) return std::nullopt;
  return Fence(std::move(shared));
}

Fence::State Fence::state() const {
  const std::lock_guard lock(shared_->mutex);
  if (!shared_->settled) return State::kPending;
  return shared_->result ? State::kSignalled : State::kError;
}

Status Fence::result() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->result;
}

Status Fence::wait() const {
  if (state() == State::kPending) {
    const trace::Section section("[NN_LU_PU]", "wait", trace::Category::kWait);
    std::unique_lock lock(shared_->mutex);
    shared_->settled_event.wait(lock, [this] { return shared_->settled; });
  }
  return result();
}

bool Fence::wait_until(std::chrono::steady_clock::time_point time) const {
  std::unique_lock lock(shared_->mutex);
  return shared_->settled_event.wait_until(lock, time, [this] { return shared_->settled; });
}

void Fence::on_settled(std::function<void(const Status&)> callback) const {
  {
    const std::lock_guard lock(shared_->mutex);
    if (!shared_->settled) {
      shared_->callbacks.push_back(std::move(callback));
      return;
    }
  }
  callback(shared_->result);  // settled: the result never changes again
}

void Fence::settle(Status result) const { shared_->settle(std::move(result)); }

Fence when_all(std::span<const Fence> fences) {
  if (fences.empty()) return Fence::already_signalled();
  Fence all = Fence::pending();
  const auto open = std::make_shared<std::atomic<size_t>>(fences.size());
  for (const Fence& fence : fences) {
    fence.on_settled([all, open](const Status& status) {
      if (!status) return all.fail(status.error());
      if (open->fetch_sub(1) == 1) all.signal();
    });
  }
  return all;
}

Fence when_all_settled(std::span<const Fence> fences) {
  struct Gathering {
    std::vector<Fence> fences;
    std::atomic<size_t> pending;
    Fence all = Fence::pending();
  };
  if (fences.empty()) return Fence::already_signalled();
  const auto gathering = std::make_shared<Gathering>();
  gathering->fences.assign(fences.begin(), fences.end());
  gathering->pending = fences.size();
  Fence all = gathering->all;
  for (const Fence& fence : fences) {
    fence.on_settled([gathering](const Status&) {
      if (gathering->pending.fetch_sub(1) != 1) return;
      for (const Fence& settled : gathering->fences) {
        if (const Status status = settled.result(); !status) return gathering->all.fail(status.error());
      }
      gathering->all.signal();
    });
  }
  return all;
}

}  // namespace nnvk
