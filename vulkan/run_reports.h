// What is told of a measured run: times per node for the client, slices for the trace.
#pragma once

#include <string_view>
#include <vector>

#include "core/plan/plan.h"
#include "core/runtime/device.h"
#include "vulkan/recording/recording.h"

namespace nnvk::vulkan {

// Totals per node, in the order of the nodes; none unless each dispatch was measured.
std::vector<NodeProfile> node_profiles(const Plan& plan, const Recording& recording, const RunTimes& times);

// Shows the dispatches on the device's track, where they were measured and there is a trace. `section` is layer and phase.
void trace_run(Gpu& gpu, const Recording& recording, const RunTimes& times, std::string_view section);

}  // namespace nnvk::vulkan
