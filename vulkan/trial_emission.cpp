// Emission of nodes whose shapes are known early.
#include "vulkan/trial_emission.h"

#include <algorithm>

#include "core/operations/operation_definition.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {
namespace {

// Whether nothing about the node depends on the execution but the data.
bool is_settled(const Plan& plan, const PlanNode& node, const Resolution& resolution) {
  const OperationDefinition* definition = find_operation(node.code);
  if (definition == nullptr) return false;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TensorId id = node.inputs[i];
    if (!resolution.present[id]) continue;
    const bool may_be_omitted = (definition->optional_inputs & (1U << std::min<size_t>(i, 31))) != 0;
    if (may_be_omitted && plan.tensors[id].role == TensorRole::kInput) return false;
    if (!resolution.infos[id].byte_size()) return false;
    if (is_parameter(*definition, resolution.infos[id], i) && resolution.host_values[id].empty()) return false;
  }
  return std::all_of(node.outputs.begin(), node.outputs.end(),
                     [&](TensorId id) { return resolution.infos[id].byte_size().has_value(); });
}

}  // namespace

std::vector<std::string> emission_problems(const Plan& plan, const DeviceTraits& traits, const HostEvaluator& evaluator,
                                           KeptEmissions& kept) {
  std::vector<std::string> problems(plan.nodes.size());
  const auto resolution = resolve(plan, {}, {}, evaluator);
  if (!resolution) return problems;
  for (size_t n = 0; n < plan.nodes.size(); ++n) {
    const PlanNode& node = plan.nodes[n];
    const KernelEmitter* emitter = find_emitter(node.code);
    if (emitter == nullptr || node.is_view || resolution->evaluated_on_host[n] || !is_settled(plan, node, *resolution)) continue;
    const Result<NodeEmission>& emitted = *kept.of({plan, node, static_cast<uint32_t>(n), *resolution, traits});
    if (!emitted && emitted.error().code == Code::kResourceExhaustedPersistent) problems[n] = emitted.error().text();
  }
  return problems;
}

}  // namespace nnvk::vulkan
