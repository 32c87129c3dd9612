// Removes unread nodes that cannot fail, because a failing operation fails the execution (docs/nnapi/model.md#trailing-defaults).
#include <algorithm>

#include "core/plan/plan_uses.h"
#include "core/plan/rewrites.h"

namespace nnvk {
namespace {

// Returns true if shapes and constants alone show that the node is valid.
bool is_surely_valid(const Plan& plan, const PlanNode& node) {
  const OperationDefinition* definition = find_operation(node.code);
  const NodeView view = declared_view(plan, node);
  for (size_t i = 0; i < view.inputs.size(); ++i) {
    const OperandView& input = view.inputs[i];
    if (!input.info->shape.fully_known()) return false;
    if (definition == nullptr || (is_parameter(*definition, *input.info, i) && input.value.empty())) return false;
  }
  return infer_output_shapes(view.view()).has_value();
}

}  // namespace

PlanPointer remove_dead_nodes(const PlanPointer& plan) {
  std::vector<bool> needed(plan->tensors.size());
  for (const TensorId id : plan->outputs) needed[id] = true;
  std::vector<bool> dead(plan->nodes.size());
  for (size_t n = plan->nodes.size(); n-- > 0;) {
    const PlanNode& node = plan->nodes[n];
    dead[n] = std::ranges::none_of(node.outputs, [&](TensorId id) { return needed[id]; }) && is_surely_valid(*plan, node);
    if (dead[n]) continue;
    for (const TensorId id : node.inputs) needed[id] = true;
    if (node.residual != kNoTensor) needed[node.residual] = true;
  }
  if (std::find(dead.begin(), dead.end(), true) == dead.end()) return plan;
  return without_nodes(plan, std::make_shared<Plan>(*plan), dead);
}

}  // namespace nnvk
