// What a plugin's performance figures say of a node. Pure.
#pragma once

#include "accelerators/driver_model.h"
#include "core/plan/plan.h"

namespace nnvk::accelerators {

// How many times as long as the CPU the device takes for the node, by the type of its first input (as NNAPI's runtimes read the
// figures); 1 where the device says nothing of the type. Never below a thousandth.
double relative_time(const DeviceDescription& device, const Plan& plan, const PlanNode& node);

}  // namespace nnvk::accelerators
