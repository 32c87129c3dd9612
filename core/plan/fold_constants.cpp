// Constant folding: computes nodes that depend on constants alone once, at compilation.
#include "core/operations/operation_enumerators.h"
#include "core/plan/rewrites.h"

#include <algorithm>

#include "core/base/trace.h"
#include "core/plan/segments.h"

namespace nnvk {
namespace {

// A larger result (such as a FILL of a huge tensor) would cost more memory than folding saves work.
constexpr uint64_t kLargestFoldedTensor = 64ULL << 20;

bool can_fold(const Plan& plan, const PlanNode& node) {
  if (find_operation(node.code) == nullptr || is_control_flow(node.code) || node.code == OperationCode::kRandomMultinomial ||
      has_data_dependent_shapes(node.code)) {
    return false;
  }
  const auto is_known = [&](TensorId id) {
    const PlanTensor& tensor = plan.tensors[id];
    return tensor.role == TensorRole::kOmitted || (tensor.role == TensorRole::kConstant && tensor.transposed == nullptr);
  };
  const auto is_temporary = [&](TensorId id) { return plan.tensors[id].role == TensorRole::kTemporary; };
  return std::ranges::all_of(node.inputs, is_known) && std::ranges::all_of(node.outputs, is_temporary);
}

// Computes the node and turns its outputs into constants. Returns false if the node must stay: sizes are unknown, or it fails.
bool fold(Plan& plan, const PlanNode& node, const HostEvaluator& evaluator) {
  const NodeView view = declared_view(plan, node);
  const auto shapes = infer_output_shapes(view.view());
  if (!shapes) return false;
  std::vector<OperandInfo> infos;
  std::vector<std::shared_ptr<std::vector<std::byte>>> blocks;
  std::vector<std::span<std::byte>> outputs;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    OperandInfo info = plan.tensors[node.outputs[i]].info;
    info.shape = (*shapes)[i];
    const auto size = info.byte_size();
    if (!size || *size == 0 || *size > kLargestFoldedTensor) return false;
    blocks.push_back(std::make_shared<std::vector<std::byte>>(*size));
    outputs.emplace_back(*blocks.back());
    infos.push_back(std::move(info));
  }
  if (!evaluator(plan, node, view.inputs, infos, outputs)) return false;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    PlanTensor& tensor = plan.tensors[node.outputs[i]];
    tensor.info = infos[i];
    tensor.role = TensorRole::kConstant;
    tensor.value = outputs[i];
    tensor.owner = blocks[i];
  }
  return true;
}

}  // namespace

PlanPointer fold_constants(const PlanPointer& plan, const HostEvaluator& evaluator) {
  const auto is_foldable = [&](const PlanNode& node) { return can_fold(*plan, node); };
  if (!evaluator || std::ranges::none_of(plan->nodes, is_foldable)) return plan;
  auto folded = std::make_shared<Plan>(*plan);
  std::vector<PlanNode> kept;
  for (PlanNode& node : folded->nodes) {
    if (!can_fold(*folded, node) || !fold(*folded, node, evaluator)) kept.push_back(std::move(node));
  }
  folded->nodes = std::move(kept);
  return folded;
}

PlanPointer simplify_before_cutting(const PlanPointer& plan, const HostEvaluator& evaluator) {
  return needs_segments(*plan) ? with_all_bytes(plan) : remove_dead_nodes(fold_constants(plan, evaluator));
}

PlanPointer simplify(const PlanPointer& plan, const HostEvaluator& evaluator) {
  const trace::Section section("[SUB][NN_LR_PC]simplify");
  return needs_segments(*plan) ? with_all_bytes(plan) : remove_reshapes(simplify_before_cutting(plan, evaluator));
}

}  // namespace nnvk
