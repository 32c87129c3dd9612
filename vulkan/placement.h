// Decides which nodes of a plan the Vulkan device runs, why not the others, and how long it expects to take. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/plan/resolve.h"
#include "core/plan/rewrites.h"
#include "core/runtime/device.h"
#include "vulkan/recording/node_emission.h"
#include "vulkan/traits/device_traits.h"

namespace nnvk::vulkan {

// One entry per node. `evaluator`: computes parameters inside the plan; may be null. `kept`: stores the nodes emitted on the way.
std::vector<Placement> place_nodes(const Plan& plan, const DeviceTraits& traits, const HostEvaluator& evaluator,
                                   KeptEmissions& kept, const CostModel& costs);

// Empty, or the reason why the device does not run the first unsupported node.
std::string first_objection(const Plan& plan, const std::vector<Placement>& placements);

// The plan to prepare: rewritten for the device's kernels. It keeps a rewrite only if the device runs its result. `plan` must be
// supported as a whole.
PlanPointer rewrite_for_device(const PlanPointer& plan, const DeviceTraits& traits, const HostEvaluator& evaluator,
                               KeptEmissions& kept, const CostModel& costs);

// A text that changes whenever the sources of this folder or of the shaders change. The build generates it.
const char* kernels_version();

// Estimated costs on a device that no calibration has measured.
CostModel assumed_costs(const DeviceTraits& traits);

}  // namespace nnvk::vulkan
