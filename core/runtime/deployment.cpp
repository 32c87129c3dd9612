// Asking devices, also about the parts that they would get.
#include "core/runtime/deployment.h"

#include <algorithm>
#include <utility>

#include "core/base/log.h"
#include "core/operations/operation_definition.h"
#include "core/plan/segments.h"

namespace nnvk {
namespace {

using Answers = std::vector<std::vector<Placement>>;  // per candidate, per node

// Levels 1-5 have the values of Android's API levels, later ones are 1000000 + level.
int64_t level_number(int64_t feature_level) { return feature_level >= 1000000 ? feature_level - 1000000 : feature_level - 26; }

int operation_level(const OperationCode code) {
  const OperationDefinition* definition = find_operation(code);
  return definition != nullptr ? definition->since : 1;
}

// The models that a control flow operation refers to, in the order of its inputs.
std::vector<PlanPointer> models_of(const Plan& plan, const PlanNode& node) {
  const bool is_if = node.code == OperationCode::kIf;
  const auto model = [&](size_t input) { return plan.subgraphs[plan.tensors[node.inputs[input]].subgraph]; };
  return {model(is_if ? 1 : 0), model(is_if ? 2 : 1)};
}

// `seconds_of` gives the time of one referenced model, or why nobody runs it. IF runs one of its two branches (semantics 9.2).
template <class SecondsOf>
Placement place_control_flow(const Plan& plan, const PlanNode& node, const SecondsOf& seconds_of) {
  Placement placement;
  placement.supported = true;
  for (const PlanPointer& model : models_of(plan, node)) {
    const Result<double> seconds = seconds_of(model);
    if (!seconds) return {false, seconds.error().message, 0};
    placement.predicted_seconds += *seconds;
  }
  if (node.code == OperationCode::kIf) placement.predicted_seconds /= 2;
  return placement;
}

// The time of a referenced model on one device.
Result<double> seconds_on(const Device& device, const Plan& model) {
  double seconds = 0;
  const std::vector<Placement> placements = place_on(device, model);
  for (size_t n = 0; n < placements.size(); ++n) {
    if (!placements[n].supported) {
      return fail(Code::kBadData, model.describe(model.nodes[n]) + " of a referenced model: " + placements[n].reason);
    }
    seconds += placements[n].predicted_seconds;
  }
  return seconds;
}

// What all devices together say of control flow that none of them runs alone. Empty when there is no such operation.
std::vector<Placement> place_on_several(const Plan& plan, const Answers& answers, std::span<Device* const> devices) {
  std::vector<Placement> placements(plan.nodes.size(), {false, "", 0});
  bool needed = false;
  for (size_t n = 0; n < plan.nodes.size(); ++n) {
    const auto runs = [&](const std::vector<Placement>& device) { return device[n].supported; };
    if (!is_control_flow(plan.nodes[n].code) || std::any_of(answers.begin(), answers.end(), runs)) continue;
    placements[n] = place_control_flow(plan, plan.nodes[n], [&](const PlanPointer& model) -> Result<double> {
      NNVK_ASSIGN(const Deployment deployment, deploy(model, devices));
      return deployment.predicted_seconds();
    });
    needed = true;
  }
  return needed ? placements : std::vector<Placement>();
}

// A device may decline, as part of a smaller plan, what it would run as part of the whole: a parameter computed by a node whose
// result leaves the step is one case. Such answers become part of `answers`; false when there are none.
bool take_back_declined(const Deployment& deployment, std::span<Device* const> devices, Answers& answers) {
  bool any = false;
  for (const Partition& part : deployment.partitions) {
    const Plan& plan = *deployment.plan;
    if (part.device >= devices.size() || is_control_flow(plan.nodes[part.nodes.front()].code)) continue;
    const std::vector<Placement> again = place_on(*devices[part.device], *extract_step(plan, part.nodes).plan);
    for (size_t i = 0; i < again.size(); ++i) {
      if (again[i].supported) continue;
      answers[part.device][part.nodes[i]] = again[i];
      any = true;
    }
  }
  return any;
}

}  // namespace

std::vector<Placement> place_on(const Device& device, const Plan& plan) {
  std::vector<Placement> placements = device.place(plan);
  if (placements.size() != plan.nodes.size()) {
    log_line(LogLevel::kError, "Manager",
             device.info().name + " answered for " + std::to_string(placements.size()) + " of " +
                 std::to_string(plan.nodes.size()) + " operations; it counts as supporting none");
    return std::vector<Placement>(plan.nodes.size(), {false, "the device answered for another number of operations", 0});
  }
  const int64_t level = level_number(device.info().feature_level);
  for (size_t n = 0; n < placements.size(); ++n) {
    const PlanNode& node = plan.nodes[n];
    if (operation_level(node.code) > level) {
      placements[n] = {false,
                       "the operation needs feature level " + std::to_string(operation_level(node.code)) + ", the device has " +
                           std::to_string(level),
                       0};
    } else if (is_control_flow(node.code)) {
      placements[n] = place_control_flow(plan, node, [&](const PlanPointer& model) { return seconds_on(device, *model); });
    }
  }
  return placements;
}

double Deployment::predicted_seconds() const {
  double seconds = 0;
  for (const Partition& part : partitions) seconds += part.predicted_seconds + part.transfer_seconds;
  return seconds;
}

Result<Deployment> deploy(const PlanPointer& plan, std::span<Device* const> devices) {
  Answers answers;
  std::vector<Candidate> candidates;
  for (const Device* device : devices) {
    answers.push_back(place_on(*device, *plan));
    candidates.push_back({device->info().name, device->info().type});
  }
  if (auto several = place_on_several(*plan, answers, devices); !several.empty()) {
    answers.push_back(std::move(several));
    candidates.push_back({"several devices", DeviceType::kUnknown});
  }
  while (true) {  // ends: every round some device runs one operation less
    Deployment deployment;
    deployment.plan = plan;
    NNVK_ASSIGN(deployment.partitions, partition_plan(*plan, answers, candidates));
    deployment.device_of.resize(plan->nodes.size());
    for (const Partition& part : deployment.partitions) {
      for (const uint32_t n : part.nodes) deployment.device_of[n] = part.device;
    }
    const size_t first = deployment.partitions.front().device;
    deployment.is_whole = first < devices.size() && std::all_of(deployment.partitions.begin(), deployment.partitions.end(),
                                                                [&](const Partition& part) { return part.device == first; });
    if (deployment.is_whole || !take_back_declined(deployment, devices, answers)) return deployment;
  }
}

}  // namespace nnvk
