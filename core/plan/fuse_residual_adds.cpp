// Merges the ADD of a residual block into the convolution before it, so that the sum needs no separate pass over memory.
#include <utility>

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/elementwise_binary_parameters.h"
#include "core/operations/parameters/window_parameters.h"
#include "core/plan/plan_uses.h"
#include "core/plan/rewrites.h"

namespace nnvk {
namespace {

bool can_take_residual(const Plan& plan, const PlanNode& conv) {
  if (conv.code != OperationCode::kConv2d || conv.fused_activation != FusedActivation::kNone || conv.residual != kNoTensor) {
    return false;
  }
  const NodeView view = declared_view(plan, conv);
  return view.view().scalar<int32_t>(window_operands(view.view()).activation) == 0;
}

bool all_same_float_shape(const Plan& plan, TensorId a, TensorId b, TensorId sum) {
  const OperandInfo& info = plan.tensors[sum].info;
  return is_float_tensor(info.type) && info.shape.fully_known() && plan.tensors[a].info.shape == info.shape &&
         plan.tensors[b].info.shape == info.shape;
}

}  // namespace

PlanPointer fuse_residual_adds(const PlanPointer& plan) {
  auto rewritten = std::make_shared<Plan>(*plan);
  std::vector<bool> removed(plan->nodes.size());
  PlanUses uses = find_uses(*rewritten);
  for (size_t n = 0; n < plan->nodes.size(); ++n) {
    const PlanNode& add = rewritten->nodes[n];
    if (add.code != OperationCode::kAdd || add.residual != kNoTensor) continue;
    const auto own = activation_parameter(declared_view(*plan, add).view(), elementwise_binary::kActivation);
    if (!own || (*own != FusedActivation::kNone && add.fused_activation != FusedActivation::kNone)) continue;
    const TensorId first = add.inputs[kFirstInput];
    const TensorId second = add.inputs[kSecondInput];
    if (!all_same_float_shape(*plan, first, second, add.outputs[kFirstOutput])) continue;
    for (const auto& [conv_result, other] : {std::pair{first, second}, std::pair{second, first}}) {
      const uint32_t p = mergeable_producer(*rewritten, uses, conv_result);
      if (p == kNoNode || removed[p] || conv_result == other || !can_take_residual(*rewritten, rewritten->nodes[p])) {
        continue;
      }
      // The fused node takes the ADD's place in the order: by then, its inputs and the other summand have surely been written.
      PlanNode fused = rewritten->nodes[p];
      fused.outputs = add.outputs;
      fused.residual = other;
      fused.fused_activation = *own != FusedActivation::kNone ? *own : add.fused_activation;
      fused.fused_operations.push_back(add.source_operation);
      fused.fused_operations.insert(fused.fused_operations.end(), add.fused_operations.begin(), add.fused_operations.end());
      rewritten->nodes[p].inputs.clear();
      rewritten->nodes[p].outputs.clear();
      removed[p] = true;
      rewritten->nodes[n] = std::move(fused);
      uses.producer[conv_result] = kNoNode;
      uses.readers[conv_result] = 0;
      break;
    }
  }
  return without_nodes(plan, std::move(rewritten), removed);
}

PlanPointer fuse(const PlanPointer& plan) { return fuse_residual_adds(trim_filters(fuse_pads(fuse_activations(plan)))); }

}  // namespace nnvk
