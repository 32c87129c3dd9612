// Emission into a list that keeps nothing.
#include "vulkan/trial_emission.h"

#include <algorithm>

#include "core/operations/operation_definition.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {
namespace {

class DiscardingList final : public DispatchList {
 public:
  explicit DiscardingList(size_t plan_tensors) : next_(static_cast<TensorId>(plan_tensors)) {}

  void add(Dispatch) override {}
  TensorId scratch(uint64_t) override { return next_++; }
  TensorId table(uint32_t, const std::string&, const std::function<std::vector<std::byte>()>&) override { return next_++; }
  TensorId packed(uint32_t, const std::string&, TensorId, uint64_t, const std::function<void(TensorId)>&) override {
    return next_++;
  }
  TensorId status(uint32_t) override { return next_++; }
  void data_sized(TensorId, uint32_t, TensorId, uint32_t) override {}
  void fail_if_set(TensorId, uint32_t, std::string) override {}

 private:
  TensorId next_;
};

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

std::vector<std::string> emission_problems(const Plan& plan, const DeviceTraits& traits, const HostEvaluator& evaluator) {
  std::vector<std::string> problems(plan.nodes.size());
  const auto resolution = resolve(plan, {}, {}, evaluator);
  if (!resolution) return problems;
  for (size_t n = 0; n < plan.nodes.size(); ++n) {
    const PlanNode& node = plan.nodes[n];
    const KernelEmitter* emitter = find_emitter(node.code);
    if (emitter == nullptr || node.is_view || resolution->evaluated_on_host[n] || !is_settled(plan, node, *resolution)) continue;
    DiscardingList discarded(plan.tensors.size());
    const Status emitted = emitter->emit({plan, node, static_cast<uint32_t>(n), *resolution, traits}, discarded);
    if (!emitted && emitted.error().code == Code::kResourceExhaustedPersistent) problems[n] = emitted.error().text();
  }
  return problems;
}

}  // namespace nnvk::vulkan
