#include "cpu_fallback/reference_device.h"

#include <string>

#include "cpu_fallback/assumed_costs.h"
#include "cpu_fallback/host_device.h"
#include "cpu_fallback/host_plan.h"
#include "cpu_fallback/node_runner.h"

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

class ReferenceDevice final : public HostDevice {
 public:
  ReferenceDevice() : HostDevice("nnapi-reference", "nnvk reference 1", false, assumed_reference_costs()) {
    info_.properties = {{"features", "kernels", "reference (scalar)"},
                        {"limits", "worker threads", std::to_string(default_threads())}};
  }

  Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest&) override {
    return fail(Code::kOpFailed, "the CPU device has no memory of its own; use ordinary memory");
  }

  unsigned threads() const override { return 1; }

 private:
  Result<std::unique_ptr<PreparedPlan>> make_plan(std::shared_ptr<const Plan> plan, const PrepareOptions& options) override {
    NNVK_ASSIGN(PreparedNodes nodes, prepare_nodes(std::move(plan)));
    return std::unique_ptr<PreparedPlan>(std::make_unique<ReferencePlan>(std::move(nodes), workers_, options.priority));
  }
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
    NNVK_ASSIGN(const CheckedOperation operation, CheckedOperation::check(OperationView{node.code, inputs, infos}));
    return run_node(node, operation, tensors, {});
  };
}

}  // namespace nnvk::cpu
