// Reports of a measured run: times per node for the client, slices for the trace.
#pragma once

#include <string_view>
#include <vector>

#include "core/plan/plan.h"
#include "core/runtime/device.h"
#include "vulkan/recording/recording.h"

namespace nnvk::vulkan {

// Returns the totals per node, in the order of the nodes; empty unless each dispatch was measured.
std::vector<NodeProfile> node_profiles(const Plan& plan, const Recording& recording, const RunTimes& times);

// Adds measured dispatches to the device's track of a running trace. `section`: layer and phase, such as "[NN_LD_PC]".
void trace_run(Gpu& gpu, const Recording& recording, const RunTimes& times, std::string_view section);

}  // namespace nnvk::vulkan
