#include "cpu_fallback/host_device.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/base/deadline.h"
#include "cpu_fallback/ceilings.h"
#include "cpu_fallback/node_runner.h"
#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {
namespace {

// Making a kernel may read all weights, so a larger node gets a fast kernel untried: such nodes are products, which have one.
constexpr uint64_t kMostBytesToTry = 256 << 10;

KernelKind kernel_kind(const PlanNode& node, const OperationView& declared) {
  const auto operation = CheckedOperation::check(declared);
  if (!operation) return KernelKind::kReference;
  uint64_t constant_bytes = 0;
  for (const OperandView& input : operation->inputs) constant_bytes += input.value.size();
  if (constant_bytes > kMostBytesToTry) return KernelKind::kOwn;
  return make_optimized_kernel({node, *operation, nullptr, true}) != nullptr ? KernelKind::kOwn : KernelKind::kReference;
}

}  // namespace

std::vector<Placement> place_nodes(const Plan& plan, const CostModel& costs, bool use_optimized) {
  std::vector<Placement> placements;
  placements.reserve(plan.nodes.size());
  for (const PlanNode& node : plan.nodes) {
    Placement& placement = placements.emplace_back();
    if (const char* reason = reason_not_supported(node)) {
      placement.reason = reason;
      continue;
    }
    placement.supported = true;
    if (node.is_view) continue;
    const NodeView view = declared_view(plan, node);
    placement.kernel = use_optimized ? kernel_kind(node, view.view()) : KernelKind::kReference;
    placement.predicted_seconds = costs.predicted_seconds(view.view(), placement.kernel);
  }
  return placements;
}

unsigned default_threads() { return std::clamp(std::thread::hardware_concurrency(), 1U, 8U); }

HostDevice::HostDevice(std::string name, std::string version, bool use_optimized, CostModel costs)
    : costs_(std::move(costs)),
      use_optimized_(use_optimized),
      workers_(std::make_shared<WorkerPool>(default_threads(), "nnvk cpu")) {
  info_.name = std::move(name);
  info_.version = std::move(version);
  info_.type = DeviceType::kCpu;
  info_.feature_level = 1000008;
  info_.kernels_version = kernels_version();
}

std::vector<Placement> HostDevice::place(const Plan& plan, Groundwork* /*groundwork*/) const {
  return place_nodes(plan, costs_, use_optimized_);
}

Result<std::unique_ptr<PreparedPlan>> HostDevice::prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) {
  if (has_passed(options.deadline)) {
    return fail(Code::kMissedDeadlinePersistent, "the compilation deadline passed before the plan was prepared");
  }
  return make_plan(std::move(plan), options);
}

Result<Ceilings> HostDevice::measure_ceilings() { return measure_cpu_ceilings(threads()); }

}  // namespace nnvk::cpu
