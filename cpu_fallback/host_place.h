// The place of an execution in a CPU device's queue: other executions can start when this one has run.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "core/runtime/worker_pool.h"

namespace nnvk::cpu {

// An execution that waits for earlier ones. The thread that ran the last of them runs it, if no more important task waits.
struct Follower {
  WorkerPool& workers;  // run the task
  WorkerPool::Task task;
  std::atomic<size_t> waits_for{1};  // executions that have not run, plus one while the submitter adds the follower
};

// The place of an execution in the queue of a CPU device. It is thread-safe.
class HostPlace final : public QueuePlace {
 public:
  explicit HostPlace(QueueId queue) : queue_(queue) {}

  QueueId queue() const override { return queue_; }
  // Adds an execution that waits for this one. Returns false if this execution has run already, so that `follower` need not wait
  // for it.
  bool add(const std::shared_ptr<Follower>& follower) const {
    const std::lock_guard lock(mutex_);
    if (has_run_) return false;
    ++follower->waits_for;
    followers_.push_back(follower);
    return true;
  }
  // Returns the result of the execution. Call it only when the execution has run.
  Status result() const {
    const std::lock_guard lock(mutex_);
    return result_;
  }
  // Starts the followers that wait for no other execution. Call it when the execution has run.
  void start_followers(const Status& result) const {
    std::vector<std::shared_ptr<Follower>> followers;
    {
      const std::lock_guard lock(mutex_);
      has_run_ = true;
      result_ = result;
      followers.swap(followers_);
    }
    for (size_t i = 0; i < followers.size(); ++i) release(*followers[i], i + 1 == followers.size());
  }
  // Ends one wait of `follower`, and starts it after its last wait. If `is_last`, a worker that calls it does nothing else
  // afterwards.
  static void release(Follower& follower, bool is_last) {
    if (--follower.waits_for > 0) return;
    const bool queued = is_last ? follower.workers.enqueue_for_this_thread(std::move(follower.task))
                                : follower.workers.enqueue(std::move(follower.task));
    if (!queued) follower.task.mapped()();  // no other thread would run it
  }

 private:
  const QueueId queue_;
  mutable std::mutex mutex_;
  mutable bool has_run_ = false;
  mutable Status result_;
  mutable std::vector<std::shared_ptr<Follower>> followers_;
};

}  // namespace nnvk::cpu
