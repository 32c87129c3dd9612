// Counts writers and readers of tensors.
#include "core/plan/plan_uses.h"

namespace nnvk {

PlanUses find_uses(const Plan& plan) {
  PlanUses uses{std::vector<uint32_t>(plan.tensors.size(), kNoNode), std::vector<uint32_t>(plan.tensors.size(), 0)};
  for (uint32_t n = 0; n < plan.nodes.size(); ++n) {
    for (const TensorId id : plan.nodes[n].outputs) uses.producer[id] = n;
    for (const TensorId id : plan.nodes[n].inputs) ++uses.readers[id];
    if (plan.nodes[n].residual != kNoTensor) ++uses.readers[plan.nodes[n].residual];
  }
  for (const TensorId id : plan.outputs) ++uses.readers[id];
  return uses;
}

uint32_t mergeable_producer(const Plan& plan, const PlanUses& uses, TensorId tensor) {
  const PlanTensor& facts = plan.tensors[tensor];
  const bool is_read_once = facts.role == TensorRole::kTemporary && uses.readers[tensor] == 1;
  return is_read_once && facts.view_of == kNoTensor ? uses.producer[tensor] : kNoNode;
}

bool same_encoding(const OperandInfo& a, const OperandInfo& b) {
  return a.type == b.type && a.scale == b.scale && a.zero_point == b.zero_point;
}

std::shared_ptr<const Plan> without_nodes(const std::shared_ptr<const Plan>& plan, std::shared_ptr<Plan> rewritten,
                                          const std::vector<bool>& removed) {
  std::vector<PlanNode> kept;
  for (size_t n = 0; n < removed.size(); ++n) {
    if (!removed[n]) kept.push_back(std::move(rewritten->nodes[n]));
  }
  if (kept.size() == removed.size()) return plan;
  rewritten->nodes = std::move(kept);
  return rewritten;
}

}  // namespace nnvk
