#include "vulkan/run_reports.h"

#include <map>
#include <string>
#include <utility>

namespace nnvk::vulkan {

std::vector<NodeProfile> node_profiles(const Plan& plan, const Recording& recording, const RunTimes& times) {
  std::map<uint32_t, NodeProfile> by_node;
  std::map<uint32_t, uint64_t> slowest;
  for (size_t d = 0; d < times.dispatches.size(); ++d) {
    const ProgramDispatch& placed = recording.program().dispatches[d];
    const Dispatch& dispatch = placed.dispatch;
    const PlanNode& node = plan.nodes[dispatch.node];
    NodeProfile& profile = by_node[dispatch.node];
    profile.source_operation = node.source_operation;
    profile.operation = operation_name(node.code);
    profile.merged_operations = node.fused_operations;
    const uint64_t time = times.dispatches[d].nanoseconds();
    if (profile.kernel.empty() || time > slowest[dispatch.node]) {  // named after the kernel that takes longest
      slowest[dispatch.node] = time;
      profile.kernel =
          std::string(kernel_info(dispatch.kernel).name) + " " + std::string(name_of(placed.variant)) + ", " + dispatch.label;
    }
    profile.nanoseconds += time;
    profile.bytes += recording.dispatch_bytes()[d];
    profile.multiply_adds += dispatch.multiply_adds;
  }
  std::vector<NodeProfile> profiles;
  for (auto& [node, profile] : by_node) profiles.push_back(std::move(profile));
  return profiles;
}

void trace_run(Gpu& gpu, const Recording& recording, const RunTimes& times, std::string_view section) {
  if (times.began == 0) return;
  std::vector<GpuTrack::Slice> slices;
  for (size_t d = 0; d < times.dispatches.size(); ++d) {
    const Period& period = times.dispatches[d];
    slices.push_back({recording.program().dispatches[d].dispatch.label, times.began + period.begin, times.began + period.end});
  }
  gpu.track.write(section, slices);
}

}  // namespace nnvk::vulkan
