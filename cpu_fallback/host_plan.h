// The base of both CPU devices' prepared plans: runs executions on the calling thread or on a worker, and counts them.
#pragma once

#include <atomic>
#include <memory>

#include "core/runtime/device.h"
#include "core/runtime/running_count.h"
#include "core/runtime/worker_pool.h"
#include "cpu_fallback/execution_run.h"

namespace nnvk::cpu {

// A plan that runs executions on worker threads. The destructor of a derived class must call wait_until_idle() first, because
// running executions use its members.
class HostPlan : public PreparedPlan {
 public:
  Result<Submission> submit(const Request& request) final;
  // Submits an execution that follows other ones. It reads its inputs only when it runs, so it can follow every other execution
  // of the same device.
  Result<std::optional<Submission>> submit_behind(const Request& request) final;
  Counters counters() const override;

 protected:
  HostPlan(std::shared_ptr<WorkerPool> workers, int32_t priority) : workers_(std::move(workers)), priority_(priority) {}
  // Runs one execution on the calling thread; several threads may call it at once. It throws only when
  // memory runs out.
  virtual ExecutionReport run(const Request& request, RunCounts& counts) = 0;
  void wait_until_idle() { running_.wait_until_none(); }
  // Makes submit() run executions on the calling thread, because waking a worker would take longer. Call it before the first
  // submission.
  void run_where_submitted() { runs_where_submitted_ = true; }

 private:
  struct Pending;

  ExecutionReport run_counted(const Request& request) noexcept;
  ExecutionReport run_following(Pending& pending);
  void finish(const std::shared_ptr<Pending>& pending, ExecutionReport report);

  const std::shared_ptr<WorkerPool> workers_;
  const int32_t priority_;
  std::atomic<uint64_t> executions_{0};
  std::atomic<uint64_t> bytes_copied_in_{0};
  std::atomic<uint64_t> bytes_copied_out_{0};
  std::atomic<uint64_t> temporary_allocations_{0};
  std::atomic<uint64_t> queued_behind_{0};
  bool runs_where_submitted_ = false;
  RunningCount running_;
};

}  // namespace nnvk::cpu
