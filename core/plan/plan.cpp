// Implements the functions that look things up in plans.
#include "core/plan/plan.h"

#include <algorithm>

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

void put_in_order(PlanTensor& tensor) {
  if (tensor.transposed == nullptr) return;
  auto bytes = std::make_shared<const std::vector<std::byte>>(in_order(*tensor.transposed));
  tensor.value = *bytes;
  tensor.owner = std::move(bytes);
  tensor.transposed = nullptr;
}

std::shared_ptr<const Plan> with_all_bytes(std::shared_ptr<const Plan> plan) {
  if (std::ranges::none_of(plan->tensors, [](const PlanTensor& tensor) { return tensor.transposed != nullptr; })) return plan;
  auto complete = std::make_shared<Plan>(*plan);
  std::ranges::for_each(complete->tensors, put_in_order);
  return complete;
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
