#include "accelerators/host_evaluation.h"

namespace nnvk::accelerators {

Result<std::vector<std::vector<std::byte>>> evaluate_on_host(const Plan& plan, const Resolution& resolution,
                                                             std::span<const std::span<const std::byte>> inputs,
                                                             const HostEvaluator& evaluator) {
  std::vector<std::vector<std::byte>> owned(plan.tensors.size());
  std::vector<std::span<const std::byte>> values(plan.tensors.size());
  for (size_t t = 0; t < values.size(); ++t) {
    if (plan.is_constant(static_cast<TensorId>(t))) values[t] = plan.tensors[t].value;
  }
  for (size_t i = 0; i < inputs.size(); ++i) values[plan.inputs[i]] = inputs[i];
  for (const PlanNode& node : plan.nodes) {
    NodeView view = resolution.view(node);
    for (size_t i = 0; i < node.inputs.size(); ++i) view.inputs[i].value = values[node.inputs[i]];
    std::vector<OperandInfo> infos;
    std::vector<std::span<std::byte>> outputs;
    for (const TensorId id : node.outputs) {
      const auto size = resolution.infos[id].byte_size();
      if (!size || (*size > 0 && resolution.data_dependent[id] != nullptr)) {
        return fail(Error(Code::kOpFailed, "a size that depends on data cannot be computed for an empty input here")
                        .at(plan.place_of(node)));
      }
      infos.push_back(resolution.infos[id]);
      owned[id].resize(*size);
      outputs.emplace_back(owned[id]);
      values[id] = owned[id];
    }
    if (Status status = evaluator(plan, node, view.inputs, infos, outputs); !status) {
      return fail(status.error().at(plan.place_of(node)));
    }
  }
  std::vector<std::vector<std::byte>> results;
  for (const TensorId id : plan.outputs) results.push_back(std::move(owned[id]));
  return results;
}

}  // namespace nnvk::accelerators
