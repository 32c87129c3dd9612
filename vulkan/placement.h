// Which nodes of a plan the Vulkan device runs, why not the others, and how long it expects to take. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/plan/resolve.h"
#include "core/plan/rewrites.h"
#include "core/runtime/device.h"
#include "vulkan/kernels/device_traits.h"
#include "vulkan/recording/node_emission.h"

namespace nnvk::vulkan {

// One entry per node. `evaluator`: for parameters that the plan computes; may be null.
// `kept`: takes what is emitted to find out.
std::vector<Placement> place_nodes(const Plan& plan, const DeviceTraits& traits, const HostEvaluator& evaluator,
                                   KeptEmissions& kept, const CostModel& costs);

// Empty, or why the device does not run the first node that it does not run.
std::string first_objection(const Plan& plan, const std::vector<Placement>& placements);

// The plan as it is prepared: rewritten for the device's kernels, as far as the device runs what comes out of a rewrite. `plan`
// is supported as a whole.
PlanPointer rewrite_for_device(const PlanPointer& plan, const DeviceTraits& traits, const HostEvaluator& evaluator,
                               KeptEmissions& kept, const CostModel& costs);

// Changes with the sources of this folder and of the shaders. Made by the build.
const char* kernels_version();

// What a device that was never measured is expected to take.
CostModel assumed_costs(const DeviceTraits& traits);

}  // namespace nnvk::vulkan
