// Merges a RELU, RELU1 or RELU6 into the operation before it.
#include <optional>

#include "core/operations/operation_enumerators.h"
#include "core/plan/plan_uses.h"
#include "core/plan/rewrites.h"

namespace nnvk {
namespace {

std::optional<FusedActivation> activation_of(OperationCode code) {
  switch (code) {
    case OperationCode::kRelu:
      return FusedActivation::kRelu;
    case OperationCode::kRelu1:
      return FusedActivation::kRelu1;
    case OperationCode::kRelu6:
      return FusedActivation::kRelu6;
    default:
      return std::nullopt;
  }
}

// Returns true for operations whose kernels apply PlanNode::fused_activation: those with an activation operand of their own.
bool takes_activation(OperationCode code) {
  switch (code) {
    case OperationCode::kAdd:
    case OperationCode::kSub:
    case OperationCode::kMul:
    case OperationCode::kDiv:
    case OperationCode::kConv2d:
    case OperationCode::kDepthwiseConv2d:
    case OperationCode::kTransposeConv2d:
    case OperationCode::kFullyConnected:
      return true;
    default:
      return false;
  }
}

}  // namespace

PlanPointer fuse_activations(const PlanPointer& plan) {
  auto rewritten = std::make_shared<Plan>(*plan);
  const PlanUses uses = find_uses(*plan);
  std::vector<bool> removed(plan->nodes.size());
  for (size_t n = 0; n < plan->nodes.size(); ++n) {
    const PlanNode& node = plan->nodes[n];
    const auto activation = activation_of(node.code);
    if (!activation) continue;
    const TensorId inner = node.inputs[kFirstInput];
    const TensorId result = node.outputs[kFirstOutput];
    const uint32_t p = mergeable_producer(*plan, uses, inner);
    if (p == kNoNode) continue;
    PlanNode& producer = rewritten->nodes[p];
    if (!takes_activation(producer.code) || producer.fused_activation != FusedActivation::kNone ||
        rewritten->tensors[result].info.type == OperandType::kTensorInt32 ||
        !same_encoding(plan->tensors[inner].info, plan->tensors[result].info)) {
      continue;
    }
    // The remaining result must also satisfy the declared shape of the result that disappears.
    Shape& kept = rewritten->tensors[result].info.shape;
    const auto both = merge_shapes(plan->tensors[inner].info.shape, kept);
    if (!both) continue;
    kept = *both;
    producer.outputs[kFirstOutput] = result;
    producer.fused_activation = *activation;
    producer.fused_operations.push_back(node.source_operation);
    removed[n] = true;
  }
  return without_nodes(plan, std::move(rewritten), removed);
}

}  // namespace nnvk
