// The rules for each node. Of several obstacles, this file reports the one at the model's earliest operation.
#include "core/plan/recordability.h"

#include <algorithm>

#include "core/plan/segments.h"

namespace nnvk {
namespace {

// Returns the reason why the node prevents recording; empty if it does not.
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
  return {};
}

bool all_sizes_known(const std::vector<TensorId>& tensors, const Resolution& resolution) {
  return std::ranges::all_of(
      tensors, [&](TensorId id) { return !resolution.present[id] || resolution.infos[id].byte_size().has_value(); });
}

}  // namespace

Result<Recordability> find_recordability(const Plan& plan, const std::map<uint32_t, std::string>& elsewhere,
                                         const HostEvaluator& evaluator) {
  NNVK_ASSIGN(const Resolution resolution, resolve_declared(plan, evaluator));
  Recordability found;
  found.shapes_known = all_sizes_known(plan.inputs, resolution);
  for (const PlanNode& node : plan.nodes) {
    found.shapes_known = found.shapes_known && all_sizes_known(node.outputs, resolution);
    if (found.obstacle && found.obstacle->operation <= node.source_operation) continue;
    const std::string reason = obstacle(plan, node, elsewhere, resolution);
    if (!reason.empty()) found.obstacle = {node.source_operation, plan.describe(node) + " cannot be recorded: " + reason};
  }
  return found;
}

}  // namespace nnvk
