// The CPU device: placement, prepared plans, and executions on the calling thread or on a worker.
#include "cpu_fallback/reference_device.h"

#include <algorithm>
#include <thread>

#include "core/runtime/worker_pool.h"
#include "cpu_fallback/ceilings.h"
#include "cpu_fallback/host_plan.h"
#include "cpu_fallback/node_runner.h"
#include "cpu_fallback/placement.h"

namespace nnvk::cpu {
namespace {

class ReferencePlan final : public HostPlan {
 public:
  ReferencePlan(PreparedNodes nodes, std::shared_ptr<WorkerPool> workers, int32_t priority)
      : HostPlan(std::move(workers), priority), nodes_(std::move(nodes)) {}
  ~ReferencePlan() override { wait_until_idle(); }

 private:
  ExecutionReport run(const Request& request, RunCounts& counts) override { return run_nodes(nodes_, request, counts); }

  const PreparedNodes nodes_;
};

class ReferenceDevice final : public Device {
 public:
  ReferenceDevice() {
    info_.name = "nnapi-reference";
    info_.version = "nnvk reference 1";
    info_.type = DeviceType::kCpu;
    info_.feature_level = 1000008;
    info_.kernels_version = kernels_version();
    info_.properties = {{"features", "kernels", "reference (scalar)"},
                        {"limits", "worker threads", std::to_string(worker_threads())}};
  }

  const DeviceInfo& info() const override { return info_; }
  CostModel* costs() override { return &costs_; }

  std::vector<Placement> place(const Plan& plan, Groundwork* /*groundwork*/) const override {
    return place_nodes(plan, costs_, false);
  }

  Result<std::unique_ptr<PreparedPlan>> prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) override {
    if (options.deadline && std::chrono::steady_clock::now() >= *options.deadline) {
      return fail(Code::kMissedDeadlinePersistent, "the compilation deadline passed before the plan was prepared");
    }
    NNVK_ASSIGN(PreparedNodes nodes, prepare_nodes(std::move(plan)));
    return std::unique_ptr<PreparedPlan>(std::make_unique<ReferencePlan>(std::move(nodes), pool_, options.priority));
  }

  Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest&) override {
    return fail(Code::kOpFailed, "the CPU device has no memory of its own; use ordinary memory");
  }

  Result<Ceilings> measure_ceilings() override { return measure_cpu_ceilings(); }

 private:
  static unsigned worker_threads() { return std::clamp(std::thread::hardware_concurrency(), 1U, 8U); }

  DeviceInfo info_;
  CostModel costs_ = assumed_costs();
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
