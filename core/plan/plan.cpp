// Implements the functions that look things up in plans.
#include "core/plan/plan.h"

#include "core/model/extension_registry.h"

namespace nnvk {

OperationPlace Plan::place_of(const PlanNode& node) const {
  return {node.source_operation, static_cast<int32_t>(node.code),
          node.extension ? name_of(*node.extension) : operation_name(node.code)};
}

TensorId Plan::storage_of(TensorId tensor) const {
  const TensorId owner = tensors[tensor].view_of;
  return owner == kNoTensor ? tensor : owner;
}

NodeView declared_view(const Plan& plan, const PlanNode& node) {
  NodeView view;
  view.code = node.code;
  for (const TensorId id : node.inputs) {
    const PlanTensor& tensor = plan.tensors[id];
    view.inputs.push_back({&tensor.info, tensor.role != TensorRole::kOmitted, tensor.value});
  }
  for (const TensorId id : node.outputs) view.outputs.push_back(&plan.tensors[id].info);
  return view;
}

}  // namespace nnvk
