// Relative times from a plugin's performance figures. Pure.
#pragma once

#include "accelerators/driver_model.h"
#include "core/plan/plan.h"

namespace nnvk::accelerators {

// Returns the device's time for the node as a multiple of the CPU's, at least a thousandth. As in NNAPI's runtimes, the type of
// the node's first input selects the figure; the result is 1 if the device has no figure for that type.
double relative_time(const DeviceDescription& device, const Plan& plan, const PlanNode& node);

}  // namespace nnvk::accelerators
