#include "cpu_fallback/host_plan.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/deadline.h"
#include "core/base/out_of_memory.h"
#include "core/base/run_deadline.h"
#include "core/runtime/owned_request.h"

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

// An execution that waits for a worker.
struct HostPlan::Pending {
  Pending(const Request& from, QueueId queue) : owned(from), place(std::make_shared<const HostPlace>(queue)) {}
  OwnedRequest owned;
  std::vector<std::shared_ptr<const HostPlace>> behind;
  std::shared_ptr<const HostPlace> place;
  Fence done = Fence::pending();
  std::shared_ptr<ExecutionReport> report = std::make_shared<ExecutionReport>();
};

ExecutionReport HostPlan::run_counted(const Request& request) noexcept {
  RunCounts counts;
  ExecutionReport report;
  const RunDeadline deadline(request.deadline);
  const Status ran = catch_out_of_memory([&]() -> Status {
    report = run(request, counts);
    return {};
  });
  if (!ran) report.result = ran;
  ++executions_;
  bytes_copied_in_ += counts.bytes_copied_in;
  bytes_copied_out_ += counts.bytes_copied_out;
  temporary_allocations_ += counts.temporary_allocations;
  return report;
}

Result<Submission> HostPlan::submit(const Request& request) {
  if (!request.needs_place && (request.may_run_inline || runs_where_submitted_)) {
    auto report = std::make_shared<ExecutionReport>(run_counted(request));
    Fence done = Fence::pending();
    done.settle(report->result);
    return Submission{std::move(done), std::move(report)};
  }
  auto pending = std::make_shared<Pending>(request, workers_->id());
  auto task = WorkerPool::make_task(priority_, [this, pending] { finish(pending, run_counted(pending->owned.request)); });
  Submission submission{pending->done, pending->report, pending->place};
  running_.enter();
  if (!workers_->enqueue(std::move(task))) {
    ExecutionReport no_thread;
    no_thread.result = fail(Code::kResourceExhaustedTransient, "no thread left");  // so short that it takes no memory
    finish(pending, std::move(no_thread));
  }
  return submission;
}

Result<std::optional<Submission>> HostPlan::submit_behind(const Request& request) {
  auto pending = std::make_shared<Pending>(request, workers_->id());
  for (const auto& place : request.behind) {
    if (place->queue() != workers_->id()) return std::optional<Submission>();
    pending->behind.push_back(std::static_pointer_cast<const HostPlace>(place));
  }
  auto task = WorkerPool::make_task(priority_, [this, pending] { finish(pending, run_following(*pending)); });
  const std::shared_ptr<Follower> follower(new Follower{*workers_, std::move(task)});
  std::optional<Submission> submission(Submission{pending->done, pending->report, pending->place});
  for (const auto& place : pending->behind) place->add(follower);  // if this runs out of memory, the follower never starts
  running_.enter();
  ++queued_behind_;
  HostPlace::release(*follower, false);
  return submission;
}

// Runs the execution when all executions that it follows have run. If one of them failed, its error is the result.
ExecutionReport HostPlan::run_following(Pending& pending) {
  for (const auto& place : pending.behind) {
    if (Status result = place->result(); !result) {
      ExecutionReport not_run;
      not_run.result = std::move(result);
      return not_run;
    }
  }
  Request& request = pending.owned.request;
  request.deadline = earlier(request.deadline, deadline_after(static_cast<uint64_t>(request.duration.count())));
  return run_counted(request);
}

void HostPlan::finish(const std::shared_ptr<Pending>& pending, ExecutionReport report) {
  *pending->report = std::move(report);
  pending->owned.clear();
  running_.leave();  // from here on the plan may be gone: another thread or a callback of the fence `done` may free it
  const Status& result = pending->report->result;
  pending->done.settle(result);
  pending->place->start_followers(result);
}

Counters HostPlan::counters() const {
  return {{"executions", executions_},
          {"bytes_copied_in", bytes_copied_in_},
          {"bytes_copied_out", bytes_copied_out_},
          {"bytes_copied_internal", 0},
          {"temporary_allocations", temporary_allocations_},
          {"pipelines_created", 0},
          {"queued_behind", queued_behind_},
          {"queued_behind_at_once", queued_behind_},
          {"command_buffers_recorded", 0},
          {"device_allocations", 0},
          {"descriptor_sets_written", 0}};
}

}  // namespace nnvk::cpu
