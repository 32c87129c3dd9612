#include "cpu_fallback/placement.h"

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

}  // namespace nnvk::cpu
