// Where an execution stands among those of a CPU device, for others that start when it has run.
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

// An execution that starts when all that it follows has run: on the thread that was the last at it, if nothing more important
// waits for one.
struct Follower {
  WorkerPool& workers;  // of a plan that waits for this execution
  WorkerPool::Task task;
  std::atomic<size_t> waits_for{1};  // one more than there are: whoever adds it takes that one away
};

// Thread-safe.
class HostPlace final : public QueuePlace {
 public:
  explicit HostPlace(const WorkerPool& workers) : workers_(workers) {}

  bool is_of(const WorkerPool& workers) const { return &workers_ == &workers; }
  // False: the execution has run, there is nothing to wait for.
  bool add(const std::shared_ptr<Follower>& follower) const {
    const std::lock_guard lock(mutex_);
    if (has_run_) return false;
    ++follower->waits_for;
    followers_.push_back(follower);
    return true;
  }
  // How the execution ended. To be asked when it has run.
  Status result() const {
    const std::lock_guard lock(mutex_);
    return result_;
  }
  // The execution has run: its followers may, where they wait for nothing else.
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
  // Takes one of what `follower` waits for. `is_last`: the calling thread, if it is a worker, has nothing else to do afterwards.
  static void release(Follower& follower, bool is_last) {
    if (--follower.waits_for > 0) return;
    const bool queued = is_last ? follower.workers.enqueue_for_this_thread(std::move(follower.task))
                                : follower.workers.enqueue(std::move(follower.task));
    if (!queued) follower.task.mapped()();  // nobody else ever would
  }

 private:
  const WorkerPool& workers_;  // compared only: an execution that has run may outlive its device
  mutable std::mutex mutex_;
  mutable bool has_run_ = false;
  mutable Status result_;
  mutable std::vector<std::shared_ptr<Follower>> followers_;
};

}  // namespace nnvk::cpu
