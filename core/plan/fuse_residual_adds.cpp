// Folds the ADD of a residual block into the convolution before it, so that the sum costs no pass over memory of its own.
#include <cstring>
#include <optional>

#include "core/plan/plan_uses.h"
#include "core/plan/rewrites.h"

namespace nnvk {
namespace {

// Position of CONV_2D's activation operand: 6 with implicit padding, 9 with explicit padding. Ten inputs are implicit
// when the eighth is the layout flag (BOOL).
size_t activation_index(const Plan& plan, const PlanNode& conv) {
  const size_t count = conv.inputs.size();
  if (count < 10) return 6;
  return count == 10 && plan.tensors[conv.inputs[7]].info.type == OperandType::kBool ? 6 : 9;
}

std::optional<int32_t> constant_int(const Plan& plan, TensorId id) {
  const PlanTensor& tensor = plan.tensors[id];
  if (tensor.role != TensorRole::kConstant || tensor.value.size() < sizeof(int32_t)) return std::nullopt;
  int32_t value;
  std::memcpy(&value, tensor.value.data(), sizeof value);
  return value;
}

bool can_take_residual(const Plan& plan, const PlanNode& conv) {
  return conv.code == OperationCode::kConv2d && conv.fused_activation == FusedActivation::kNone && conv.residual == kNoTensor &&
         constant_int(plan, conv.inputs[activation_index(plan, conv)]) == 0;
}

bool all_same_float_shape(const Plan& plan, TensorId a, TensorId b, TensorId sum) {
  const OperandInfo& info = plan.tensors[sum].info;
  return (info.type == OperandType::kTensorFloat32 || info.type == OperandType::kTensorFloat16) && info.shape.fully_known() &&
         plan.tensors[a].info.shape == info.shape && plan.tensors[b].info.shape == info.shape;
}

}  // namespace

PlanPointer fuse_residual_adds(const PlanPointer& plan) {
  auto rewritten = std::make_shared<Plan>(*plan);
  std::vector<bool> removed(plan->nodes.size());
  bool changed = false;
  for (size_t n = 0; n < plan->nodes.size(); ++n) {
    const PlanNode& add = rewritten->nodes[n];
    if (add.code != OperationCode::kAdd || add.residual != kNoTensor) continue;
    const auto own = constant_int(*plan, add.inputs[2]);
    if (!own || *own < 0 || *own > 3) continue;
    if (*own != 0 && add.fused_activation != FusedActivation::kNone) continue;
    if (!all_same_float_shape(*plan, add.inputs[0], add.inputs[1], add.outputs[0])) continue;
    const PlanUses uses = find_uses(*rewritten);
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const TensorId conv_result = add.inputs[side];
      const TensorId other = add.inputs[1 - side];
      const uint32_t p = uses.producer[conv_result];
      if (p == kNoNode || removed[p] || conv_result == other || !is_read_once(*rewritten, uses, conv_result) ||
          plan->tensors[conv_result].view_of != kNoTensor || !can_take_residual(*rewritten, rewritten->nodes[p])) {
        continue;
      }
      // The convolution moves to the ADD's place: there both of its inputs are surely written.
      PlanNode fused = rewritten->nodes[p];
      fused.outputs = add.outputs;
      fused.residual = other;
      fused.fused_activation = *own != 0 ? static_cast<FusedActivation>(*own) : add.fused_activation;
      fused.fused_operations.push_back(add.source_operation);
      fused.fused_operations.insert(fused.fused_operations.end(), add.fused_operations.begin(), add.fused_operations.end());
      rewritten->nodes[p].inputs.clear();
      rewritten->nodes[p].outputs.clear();
      removed[p] = true;
      rewritten->nodes[n] = std::move(fused);
      changed = true;
      break;
    }
  }
  if (!changed) return plan;
  erase_nodes(*rewritten, removed);
  return rewritten;
}

}  // namespace nnvk
