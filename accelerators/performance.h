// Relative times from a plugin's performance figures. Pure.
#pragma once

#include "accelerators/driver_model.h"
#include "core/plan/plan.h"

namespace nnvk::accelerators {

// The device's time for the node as a multiple of the CPU's. It depends on the type of the node's first input (as NNAPI's
// runtimes read the figures); 1 if the device has no figure for the type. Never below a thousandth.
double relative_time(const DeviceDescription& device, const Plan& plan, const PlanNode& node);

}  // namespace nnvk::accelerators
