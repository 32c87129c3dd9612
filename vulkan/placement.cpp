#include "vulkan/placement.h"

#include <optional>
#include <utility>

#include "core/operations/operation_definition.h"
#include "core/operations/operation_enumerators.h"
#include "vulkan/kernels/kernel_emitter.h"
#include "vulkan/recording/emission_time.h"

namespace nnvk::vulkan {
namespace {

// Returns the reason if nodes compute a parameter that the host cannot compute, else "". The host must know parameters before a
// run.
std::string parameter_problem(const Plan& plan, const PlanNode& node, const std::vector<bool>& on_host,
                              const std::vector<const PlanNode*>& producers, bool can_evaluate) {
  const OperationDefinition* definition = find_operation(node.code);
  if (definition == nullptr) return {};
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TensorId id = node.inputs[i];
    if (!is_parameter(*definition, plan.tensors[id].info, i) || producers[id] == nullptr) continue;
    const std::string name = "parameter " + std::to_string(i) + " is computed by " + plan.describe(*producers[id]);
    if (!can_evaluate) return name + ", and there is no host evaluator";
    if (plan.tensors[id].role == TensorRole::kOutput) return name + " as an output of the model, which only the device writes";
    if (!on_host[static_cast<size_t>(producers[id] - plan.nodes.data())]) return name + " on the device";
  }
  return {};
}

// Resolves shapes as if executions omitted no input. Returns nullopt if a shape is unknown, or if the host needs the value of an
// input.
std::optional<Resolution> resolution_of_compilation(const Plan& plan, const HostEvaluator& evaluator) {
  const auto declared = declared_bindings(plan);
  if (!declared) return std::nullopt;
  auto resolution = resolve(plan, declared->inputs, {}, evaluator);
  if (!resolution) return std::nullopt;
  return std::move(*resolution);
}

// The result of emitting a node for the declared shapes.
struct Trial {
  // The reason why the shapes are beyond this device (vulkan/kernels/kernel_emitter.h): loops that are too long, or buffers that
  // are too large. Empty if the emitter accepts them, or if a shape or value is unknown at compilation. Also empty if the emitter
  // rejects values, which the execution then reports.
  std::string problem;
  std::optional<double> predicted_seconds;  // of its dispatches, if the caller asked for times
};

// Returns one trial per node. Stores the emitted nodes in `kept`.
std::vector<Trial> try_emitters(const Plan& plan, const DeviceTraits& traits, const HostEvaluator& evaluator, KeptEmissions& kept,
                                bool with_times) {
  std::vector<Trial> trials(plan.nodes.size());
  const auto resolution = resolve_declared(plan, evaluator);
  if (!resolution) return trials;
  std::optional<std::optional<Resolution>> of_compilation;  // resolved when a node needs it
  for (size_t n = 0; n < plan.nodes.size(); ++n) {
    const PlanNode& node = plan.nodes[n];
    const KernelEmitter* emitter = find_emitter(node.code);
    if (emitter == nullptr || node.is_view) continue;
    auto checked = CheckedNode::check(plan, node, *resolution);
    if (!checked) {  // executions may omit an input of it: the compilation takes that input as present
      if (!of_compilation) of_compilation = resolution_of_compilation(plan, evaluator);
      if (!*of_compilation) continue;
      checked = CheckedNode::check(plan, node, **of_compilation);
      if (!checked) continue;
    }
    if (checked->resolution().evaluated_on_host[n]) continue;
    const ResolvedNode resolved(*checked, traits);
    const auto emitted = kept.of(resolved);
    if (*emitted) {
      if (with_times) trials[n].predicted_seconds = predicted_seconds(**emitted, resolved);
    } else if (emitted->error().code == Code::kResourceExhaustedPersistent) {
      trials[n].problem = emitted->error().text();
    }
  }
  return trials;
}

}  // namespace

std::vector<Placement> place_nodes(const Plan& plan, const DeviceTraits& traits, const HostEvaluator& evaluator,
                                   KeptEmissions& kept, const CostModel& costs) {
  const std::vector<bool> on_host = host_nodes(plan);
  // The costs of software Vulkan's classes were measured. On an unmeasured GPU, dispatches predict better than classes.
  const bool by_dispatches = !costs.is_measured() && !traits.is_software();
  const std::vector<Trial> trials = try_emitters(plan, traits, evaluator, kept, by_dispatches);
  std::vector<const PlanNode*> producers(plan.tensors.size(), nullptr);
  for (const PlanNode& node : plan.nodes) {
    for (const TensorId id : node.outputs) producers[id] = &node;
  }
  std::vector<Placement> placements;
  placements.reserve(plan.nodes.size());
  for (const PlanNode& node : plan.nodes) {
    Placement& placement = placements.emplace_back();
    if (node.is_view) {
      placement.supported = true;
      continue;
    }
    const Trial& trial = trials[placements.size() - 1];
    placement.predicted_seconds = trial.predicted_seconds
                                      ? costs.corrected(*trial.predicted_seconds)
                                      : costs.predicted_seconds(declared_view(plan, node).view(), KernelKind::kOwn);
    if (node.code == OperationCode::kIf || node.code == OperationCode::kWhile) {
      placement.reason = "control flow is run by the runtime, not by a device";
      continue;
    }
    const KernelEmitter* emitter = find_emitter(node.code);
    if (emitter == nullptr) {
      placement.reason = "no Vulkan kernel for " + operation_name(node.code);
      continue;
    }
    if (emitter->support != nullptr) {
      if (const Status support = emitter->support(plan, node, traits); !support) {
        placement.reason = support.error().text();
        continue;
      }
    }
    placement.reason = parameter_problem(plan, node, on_host, producers, evaluator != nullptr);
    if (placement.reason.empty()) placement.reason = trial.problem;
    placement.supported = placement.reason.empty();
  }
  return placements;
}

std::string first_objection(const Plan& plan, const std::vector<Placement>& placements) {
  for (size_t n = 0; n < placements.size(); ++n) {
    if (!placements[n].supported) return plan.describe(plan.nodes[n]) + ": " + placements[n].reason;
  }
  return {};
}

// Rewrites the plan. A rewrite may need something that the device does not run, such as a TRANSPOSE around channels-first data or
// adding a residual.
PlanPointer rewrite_for_device(const PlanPointer& plan, const DeviceTraits& traits, const HostEvaluator& evaluator,
                               KeptEmissions& kept, const CostModel& costs) {
  const auto if_supported = [&](const PlanPointer& rewritten, const PlanPointer& before) {
    if (rewritten == before) return before;
    return first_objection(*rewritten, place_nodes(*rewritten, traits, evaluator, kept, costs)).empty() ? rewritten : before;
  };
  const PlanPointer channels_last = if_supported(keep_channels_last(plan), plan);
  return if_supported(fuse(channels_last), channels_last);
}

CostModel assumed_costs(const DeviceTraits& traits) { return CostModel(assumed_costs(traits.machine)); }

}  // namespace nnvk::vulkan
