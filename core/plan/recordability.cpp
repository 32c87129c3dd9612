// The rules, per node; the earliest operation of the model is told.
#include "core/plan/recordability.h"

#include "core/plan/segments.h"

namespace nnvk {
namespace {

// A parameter of the node whose value nobody knows before the execution.
std::optional<size_t> open_parameter(const Plan& plan, const PlanNode& node, const Resolution& resolution) {
  const OperationDefinition* const definition = find_operation(node.code);
  if (definition == nullptr) return std::nullopt;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TensorId id = node.inputs[i];
    const bool is_known = !resolution.present[id] || resolution.host_values[id].data() != nullptr;
    if (!is_known && is_parameter(*definition, plan.tensors[id].info, i)) return i;
  }
  return std::nullopt;
}

// The first of `tensors` with a size that is not known.
std::optional<TensorId> open_shape(const std::vector<TensorId>& tensors, const Resolution& resolution) {
  for (const TensorId id : tensors) {
    if (resolution.present[id] && !resolution.infos[id].byte_size()) return id;
  }
  return std::nullopt;
}

// Empty when the node is no obstacle.
std::string obstacle(const Plan& plan, const PlanNode& node, const std::map<uint32_t, std::string>& elsewhere,
                     const Resolution& resolution) {
  if (is_control_flow(node.code)) return "which models it runs, and how often, depends on data that the host must look at";
  if (const auto other = elsewhere.find(node.source_operation); other != elsewhere.end()) {
    return "it runs on another device, " + other->second;
  }
  if (has_data_dependent_shapes(node.code)) return "the size of its output depends on data that the host must look at";
  if (const auto parameter = open_parameter(plan, node, resolution)) {
    return "its input " + std::to_string(*parameter) + " decides what is computed, and is not known before the execution";
  }
  const auto shape_text = [&](TensorId id) { return resolution.infos[id].shape.to_string(); };
  if (const auto input = open_shape(node.inputs, resolution)) {
    return "an input has the shape " + shape_text(*input) + ", which is not known before the execution";
  }
  if (const auto output = open_shape(node.outputs, resolution)) {
    return "an output has the shape " + shape_text(*output) + ", which is not known before the execution";
  }
  return {};
}

}  // namespace

Result<std::optional<RecordingObstacle>> find_recording_obstacle(const Plan& plan,
                                                                 const std::map<uint32_t, std::string>& elsewhere,
                                                                 const HostEvaluator& evaluator) {
  NNVK_ASSIGN(const Resolution resolution, resolve(plan, {}, {}, evaluator));
  std::optional<RecordingObstacle> first;
  for (const PlanNode& node : plan.nodes) {
    if (first && first->operation <= node.source_operation) continue;
    std::string reason = obstacle(plan, node, elsewhere, resolution);
    if (!reason.empty()) first = {node.source_operation, plan.describe(node) + " cannot be recorded: " + reason};
  }
  return first;
}

}  // namespace nnvk
