// Executions on the calling thread or on a worker.
#include "cpu_fallback/host_plan.h"

#include "core/runtime/owned_request.h"

namespace nnvk::cpu {

// An execution that waits for a worker.
struct HostPlan::Pending {
  explicit Pending(const Request& from) : owned(from) {}
  OwnedRequest owned;
  Fence done = Fence::pending();
  std::shared_ptr<ExecutionReport> report = std::make_shared<ExecutionReport>();
};

ExecutionReport HostPlan::run_counted(const Request& request) {
  RunCounts counts;
  ExecutionReport report = run(request, counts);
  ++executions_;
  bytes_copied_in_ += counts.bytes_copied_in;
  bytes_copied_out_ += counts.bytes_copied_out;
  temporary_allocations_ += counts.temporary_allocations;
  return report;
}

Result<Submission> HostPlan::submit(const Request& request) {
  if (request.may_run_inline || runs_where_submitted_) {
    auto report = std::make_shared<ExecutionReport>(run_counted(request));
    Fence done = Fence::pending();
    done.settle(report->result);
    return Submission{std::move(done), std::move(report)};
  }
  auto pending = std::make_shared<Pending>(request);
  running_.enter();
  Submission submission{pending->done, pending->report};
  if (!workers_->enqueue(priority_, [this, pending] { finish(pending, run_counted(pending->owned.request)); })) {
    ExecutionReport report;
    report.result = fail(Code::kResourceExhaustedTransient, "no worker thread could be started for the CPU device");
    finish(pending, std::move(report));
  }
  return submission;
}

void HostPlan::finish(const std::shared_ptr<Pending>& pending, ExecutionReport report) {
  *pending->report = std::move(report);
  running_.leave();  // the plan may be gone now. The fence comes last, its callbacks may free the plan
  const Status& result = pending->report->result;
  pending->done.settle(result);
}

Counters HostPlan::counters() const {
  return {{"executions", executions_},
          {"bytes_copied_in", bytes_copied_in_},
          {"bytes_copied_out", bytes_copied_out_},
          {"bytes_copied_internal", 0},
          {"temporary_allocations", temporary_allocations_},
          {"pipelines_created", 0},
          {"command_buffers_recorded", 0},
          {"device_allocations", 0},
          {"descriptor_sets_written", 0}};
}

}  // namespace nnvk::cpu
