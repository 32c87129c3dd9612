// Drops nodes whose results nobody reads.
#include <algorithm>

#include "core/plan/plan_uses.h"
#include "core/plan/rewrites.h"

namespace nnvk {

PlanPointer remove_dead_nodes(const PlanPointer& plan) {
  std::vector<bool> needed(plan->tensors.size());
  for (const TensorId id : plan->outputs) needed[id] = true;
  std::vector<bool> dead(plan->nodes.size());
  bool changed = false;
  for (size_t n = plan->nodes.size(); n-- > 0;) {
    const PlanNode& node = plan->nodes[n];
    dead[n] = std::none_of(node.outputs.begin(), node.outputs.end(), [&](TensorId id) { return needed[id]; });
    changed = changed || dead[n];
    if (dead[n]) continue;
    for (const TensorId id : node.inputs) needed[id] = true;
    if (node.residual != kNoTensor) needed[node.residual] = true;
  }
  if (!changed) return plan;
  auto rewritten = std::make_shared<Plan>(*plan);
  erase_nodes(*rewritten, dead);
  return rewritten;
}

}  // namespace nnvk
