// Turns operations that only give bytes another shape into views: RESHAPE, SQUEEZE, EXPAND_DIMS, and CAST to the same type.
#include "core/operations/operation_enumerators.h"
#include "core/plan/plan_uses.h"
#include "core/plan/rewrites.h"

namespace nnvk {
namespace {

bool keeps_bytes(const Plan& plan, const PlanNode& node) {
  switch (node.code) {
    case OperationCode::kReshape:
    case OperationCode::kSqueeze:
    case OperationCode::kExpandDims:
      return true;
    case OperationCode::kCast:
      return same_encoding(plan.tensors[node.inputs[kFirstInput]].info, plan.tensors[node.outputs[kFirstOutput]].info);
    default:
      return false;
  }
}

// Makes `from` and every view of it views of `to`.
void move_storage(Plan& plan, TensorId from, TensorId to) {
  for (PlanTensor& tensor : plan.tensors) {
    if (tensor.view_of == from) tensor.view_of = to;
  }
  plan.tensors[from].view_of = to;
}

}  // namespace

PlanPointer remove_reshapes(const PlanPointer& plan) {
  auto rewritten = std::make_shared<Plan>(*plan);
  bool changed = false;
  for (PlanNode& node : rewritten->nodes) {
    if (node.is_view || !keeps_bytes(*rewritten, node)) continue;
    const TensorId input = rewritten->storage_of(node.inputs[kFirstInput]);
    const TensorId output = node.outputs[kFirstOutput];
    const TensorRole input_role = rewritten->tensors[input].role;
    if (rewritten->tensors[output].role == TensorRole::kTemporary) {
      rewritten->tensors[output].view_of = input;
    } else if (input_role == TensorRole::kTemporary) {
      move_storage(*rewritten, input, output);  // the producer writes the plan output directly
    } else {
      continue;  // plan input, constant or another plan output: the bytes must be copied
    }
    node.is_view = true;
    changed = true;
  }
  return changed ? PlanPointer(rewritten) : plan;
}

}  // namespace nnvk
