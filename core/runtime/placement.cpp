// Calls Device::place() and applies NNAPI's rules to the answers.
#include "core/runtime/placement.h"

#include <algorithm>

#include "core/base/log.h"
#include "core/base/trace.h"
#include "core/operations/operation_definition.h"
#include "core/operations/operation_enumerators.h"
#include "core/plan/segments.h"

namespace nnvk {
namespace {

// Returns the number of a feature level. Levels 1-5 have the values of Android's API levels (27 and up); later levels are 1000000
// + level.
int64_t level_number(int64_t feature_level) { return feature_level >= 1000000 ? feature_level - 1000000 : feature_level - 26; }

int operation_level(const PlanNode& node) {
  if (node.extension) return kExtensionFeatureLevel;
  const OperationDefinition* definition = find_operation(node.code);
  return definition != nullptr ? definition->since : 1;
}

bool lists(const DeviceInfo& device, const ExtensionOperation& operation) {
  return std::any_of(device.extensions.begin(), device.extensions.end(), [&](const ExtensionDescription& extension) {
    if (extension.name != operation.extension) return false;
    return device.places_all_extension_operations ||
           std::find(extension.operations.begin(), extension.operations.end(), operation.code) != extension.operations.end();
  });
}

// Returns the predicted time of a referenced model on the device, or an error that names the first operation that the device does
// not run.
Result<double> seconds_on(const Device& device, const Plan& model, Groundwork* groundwork) {
  double seconds = 0;
  const std::vector<Placement> placements = place_on(device, model, groundwork);
  for (size_t n = 0; n < placements.size(); ++n) {
    if (!placements[n].supported) {
      const Code code = placements[n].is_unanswered ? Code::kUnavailableDevice : Code::kBadData;
      return fail(code, model.describe(model.nodes[n]) + " of a referenced model: " + placements[n].reason);
    }
    seconds += placements[n].predicted_seconds;
  }
  return seconds;
}

}  // namespace

std::string reason_not_offered(const DeviceInfo& device, const PlanNode& node) {
  const int64_t level = level_number(device.feature_level);
  if (operation_level(node) > level) {
    return "the operation needs feature level " + std::to_string(operation_level(node)) + ", the device has " +
           std::to_string(level);
  }
  if (node.extension && !lists(device, *node.extension)) return "the device does not list this operation of the extension";
  return {};
}

Placement place_control_flow(const Plan& plan, const PlanNode& node,
                             const std::function<Result<double>(const std::shared_ptr<const Plan>& model)>& seconds_of) {
  const bool is_if = node.code == OperationCode::kIf;
  Placement placement;
  for (size_t i = is_if ? 1 : 0; i < (is_if ? 3U : 2U); ++i) {
    const Result<double> seconds = seconds_of(plan.subgraphs[plan.tensors[node.inputs[i]].subgraph]);
    if (!seconds) {
      placement = {false, seconds.error().text(), 0};
      placement.is_unanswered = seconds.error().code == Code::kUnavailableDevice;
      return placement;
    }
    placement.predicted_seconds += *seconds;
  }
  if (is_if) placement.predicted_seconds /= 2;  // one of two branches (docs/nnapi/devices.md#choosing-a-device)
  placement.supported = true;
  return placement;
}

Groundwork* Groundworks::of(const Device& device) {
  const auto [entry, is_new] = of_device_.try_emplace(&device);
  if (is_new) entry->second = device.begin_groundwork();
  return entry->second.get();
}

std::vector<Placement> place_on(const Device& device, const Plan& plan, Groundwork* groundwork) {
  const trace::Section section("[NN_LR_PC]place on ", device.info().name);
  std::vector<Placement> placements = device.place(plan, groundwork);
  if (placements.size() != plan.nodes.size()) {
    log_line(LogLevel::kError, "Manager",
             device.info().name + " answered for " + std::to_string(placements.size()) + " of " +
                 std::to_string(plan.nodes.size()) + " operations; it counts as supporting none");
    placements.assign(plan.nodes.size(), Placement{false, "the device answered for another number of operations", 0});
    return placements;
  }
  for (size_t n = 0; n < placements.size(); ++n) {
    const PlanNode& node = plan.nodes[n];
    if (std::string reason = reason_not_offered(device.info(), node); !reason.empty()) {
      placements[n] = {false, std::move(reason), 0};
    } else if (is_control_flow(node.code)) {
      placements[n] = place_control_flow(plan, node, [&](const auto& model) { return seconds_on(device, *model, groundwork); });
    }
  }
  return placements;
}

}  // namespace nnvk
