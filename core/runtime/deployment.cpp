// Asks the devices about the whole plan, then again about the parts that they would get.
#include "core/runtime/deployment.h"

#include <algorithm>
#include <utility>

#include "core/plan/segments.h"

namespace nnvk {
namespace {

using Answers = std::vector<std::vector<Placement>>;  // per candidate, per node

// Places control flow that no single device can run on all devices together. Returns nothing if there is no such operation.
std::vector<Placement> place_on_several(const Plan& plan, const Answers& answers, std::span<Device* const> devices,
                                        Groundworks& groundworks) {
  std::vector<Placement> placements(plan.nodes.size(), {false, "", 0});
  bool needed = false;
  for (size_t n = 0; n < plan.nodes.size(); ++n) {
    const auto runs = [&](const std::vector<Placement>& device) { return device[n].supported; };
    if (!is_control_flow(plan.nodes[n].code) || std::any_of(answers.begin(), answers.end(), runs)) continue;
    placements[n] = place_control_flow(plan, plan.nodes[n], [&](const PlanPointer& model) -> Result<double> {
      NNVK_ASSIGN(const Deployment deployment, deploy(model, devices, groundworks));
      return predicted_seconds(deployment.partitions);
    });
    needed = true;
  }
  return needed ? placements : std::vector<Placement>();
}

// Stores the refusals of devices in `answers`; returns false if there are none. A device may accept a node in the whole plan but
// decline it in a step, for example a node that computes a parameter and whose result leaves the step.
bool take_back_declined(const Deployment& deployment, std::span<Device* const> devices, Groundworks& groundworks,
                        Answers& answers) {
  bool any = false;
  for (const Partition& part : deployment.partitions) {
    const Plan& plan = *deployment.plan;
    if (part.device >= devices.size() || is_control_flow(plan.nodes[part.nodes.front()].code)) continue;
    const Device& device = *devices[part.device];
    const std::vector<Placement> again = place_on(device, *extract_step(plan, part.nodes).plan, groundworks.of(device));
    for (size_t i = 0; i < again.size(); ++i) {
      if (again[i].supported) continue;
      answers[part.device][part.nodes[i]] = again[i];
      any = true;
    }
  }
  return any;
}

}  // namespace

Result<Deployment> deploy(const PlanPointer& plan, std::span<Device* const> devices) {
  Groundworks groundworks;
  return deploy(plan, devices, groundworks);
}

Result<Deployment> deploy(const PlanPointer& plan, std::span<Device* const> devices, Groundworks& groundworks) {
  Answers answers;
  std::vector<Candidate> candidates;
  for (Device* const device : devices) {
    answers.push_back(place_on(*device, *plan, groundworks.of(*device)));
    candidates.push_back({device->info().name, device->info().type, transfer_costs(*device)});
  }
  if (auto several = place_on_several(*plan, answers, devices, groundworks); !several.empty()) {
    answers.push_back(std::move(several));
    candidates.push_back({"several devices", DeviceType::kUnknown});
  }
  while (true) {  // ends: in every round some device declines one more operation
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
    if (deployment.is_whole || !take_back_declined(deployment, devices, groundworks, answers)) return deployment;
  }
}

}  // namespace nnvk
