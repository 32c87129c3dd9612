// The CPU device: placement, prepared plans, and executions on the calling thread or on a worker.
#include "cpu_fallback/reference_device.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "core/runtime/owned_request.h"
#include "core/runtime/running_count.h"
#include "core/runtime/worker_pool.h"
#include "cpu_fallback/ceilings.h"
#include "cpu_fallback/execution_run.h"
#include "cpu_fallback/node_runner.h"
#include "cpu_fallback/predicted_time.h"

namespace nnvk::cpu {
namespace {

class ReferencePreparedPlan final : public PreparedPlan {
 public:
  ReferencePreparedPlan(PreparedNodes nodes, std::shared_ptr<WorkerPool> pool, int32_t priority)
      : nodes_(std::move(nodes)), pool_(std::move(pool)), priority_(priority) {}
  ~ReferencePreparedPlan() override { running_.wait_until_none(); }

  Result<Submission> submit(const Request& request) override;
  Counters counters() const override;

 private:
  struct Pending;

  ExecutionReport run(const Request& request);
  void finish(const std::shared_ptr<Pending>& pending, ExecutionReport report);

  const PreparedNodes nodes_;
  const std::shared_ptr<WorkerPool> pool_;
  const int32_t priority_;
  std::atomic<uint64_t> executions_{0};
  std::atomic<uint64_t> bytes_copied_in_{0};
  std::atomic<uint64_t> bytes_copied_out_{0};
  std::atomic<uint64_t> temporary_allocations_{0};
  RunningCount running_;
};

// An execution that waits for a worker.
struct ReferencePreparedPlan::Pending {
  explicit Pending(const Request& from) : owned(from) {}
  OwnedRequest owned;
  Fence done = Fence::pending();
  std::shared_ptr<ExecutionReport> report = std::make_shared<ExecutionReport>();
};

ExecutionReport ReferencePreparedPlan::run(const Request& request) {
  RunCounts counts;
  ExecutionReport report = run_nodes(nodes_, request, counts);
  ++executions_;
  bytes_copied_in_ += counts.bytes_copied_in;
  bytes_copied_out_ += counts.bytes_copied_out;
  temporary_allocations_ += counts.temporary_allocations;
  return report;
}

Result<Submission> ReferencePreparedPlan::submit(const Request& request) {
  if (request.may_run_inline) {
    auto report = std::make_shared<ExecutionReport>(run(request));
    Fence done = Fence::pending();
    report->result ? done.signal() : done.fail(report->result.error());
    return Submission{std::move(done), std::move(report)};
  }
  auto pending = std::make_shared<Pending>(request);
  running_.enter();
  Submission submission{pending->done, pending->report};
  if (!pool_->enqueue(priority_, [this, pending] { finish(pending, run(pending->owned.request)); })) {
    ExecutionReport report;
    report.result = fail(Code::kResourceExhaustedTransient, "no worker thread could be started for the CPU device");
    finish(pending, std::move(report));
  }
  return submission;
}

void ReferencePreparedPlan::finish(const std::shared_ptr<Pending>& pending, ExecutionReport report) {
  *pending->report = std::move(report);
  running_.leave();  // the plan may be gone now. The fence comes last, its callbacks may free the plan
  const Status& result = pending->report->result;
  result ? pending->done.signal() : pending->done.fail(result.error());
}

Counters ReferencePreparedPlan::counters() const {
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

class ReferenceDevice final : public Device {
 public:
  ReferenceDevice() {
    info_.name = "nnapi-reference";
    info_.version = "nnvk reference 1";
    info_.type = DeviceType::kCpu;
    info_.feature_level = 1000008;
    info_.properties = {{"features", "kernels", "reference (scalar)"},
                        {"limits", "worker threads", std::to_string(worker_threads())}};
  }

  const DeviceInfo& info() const override { return info_; }

  std::vector<Placement> place(const Plan& plan, Groundwork* /*groundwork*/) const override {
    std::vector<Placement> placements;
    placements.reserve(plan.nodes.size());
    for (const PlanNode& node : plan.nodes) {
      const char* reason = reason_not_supported(node);
      if (reason != nullptr) {
        placements.push_back({false, reason, 0.0});
        continue;
      }
      const double seconds = node.is_view ? 0.0 : predicted_seconds(declared_view(plan, node).view());
      placements.push_back({true, {}, seconds});
    }
    return placements;
  }

  Result<std::unique_ptr<PreparedPlan>> prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) override {
    if (options.deadline && std::chrono::steady_clock::now() >= *options.deadline) {
      return fail(Code::kMissedDeadlinePersistent, "the compilation deadline passed before the plan was prepared");
    }
    NNVK_ASSIGN(PreparedNodes nodes, prepare_nodes(std::move(plan)));
    return std::unique_ptr<PreparedPlan>(std::make_unique<ReferencePreparedPlan>(std::move(nodes), pool_, options.priority));
  }

  Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest&) override {
    return fail(Code::kOpFailed, "the CPU device has no memory of its own; use ordinary memory");
  }

  Result<Ceilings> measure_ceilings() override { return measure_cpu_ceilings(); }

 private:
  static unsigned worker_threads() { return std::clamp(std::thread::hardware_concurrency(), 1U, 8U); }

  DeviceInfo info_;
  std::shared_ptr<WorkerPool> pool_ = std::make_shared<WorkerPool>(worker_threads(), "nnvk cpu");
};

}  // namespace

std::unique_ptr<Device> make_reference_device() { return std::make_unique<ReferenceDevice>(); }

HostEvaluator reference_evaluator() {
  return [](const Plan&, const PlanNode& node, std::span<const OperandView> inputs, std::span<const OperandInfo> output_infos,
            std::span<const std::span<std::byte>> outputs) -> Status {
    if (const char* reason = reason_not_supported(node)) return fail(Code::kOpFailed, reason);
    if (node.residual != kNoTensor) return fail(Code::kOpFailed, "a node with a residual is not evaluated on the host");
    std::vector<OutputTensor> tensors;
    std::vector<const OperandInfo*> infos;
    for (size_t i = 0; i < outputs.size(); ++i) {
      tensors.push_back({output_infos[i], outputs[i], true});
      infos.push_back(&output_infos[i]);
    }
    return run_node(node, OperationView{node.code, inputs, infos}, tensors, {});
  };
}

}  // namespace nnvk::cpu
