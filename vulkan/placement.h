// Decides which nodes of a plan the Vulkan device runs, why it does not run the others, and how long it will take. Pure.
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

// Returns one entry per node. `evaluator` (may be null) computes parameters inside the plan. `kept` stores the nodes emitted
// meanwhile.
std::vector<Placement> place_nodes(const Plan& plan, const DeviceTraits& traits, const HostEvaluator& evaluator,
                                   KeptEmissions& kept, const CostModel& costs);

// Returns the reason why the device does not run the first unsupported node; empty if it runs all nodes.
std::string first_objection(const Plan& plan, const std::vector<Placement>& placements);

// Returns the plan to prepare, rewritten for the device's kernels. Drops a rewrite if the device does not run its result. The
// device must support all of `plan`.
PlanPointer rewrite_for_device(const PlanPointer& plan, const DeviceTraits& traits, const HostEvaluator& evaluator,
                               KeptEmissions& kept, const CostModel& costs);

// Returns a text that changes whenever the sources of this folder or of the shaders change. The build generates it.
const char* kernels_version();

// Returns estimated costs on a device that no calibration has measured.
CostModel assumed_costs(const DeviceTraits& traits);

}  // namespace nnvk::vulkan
