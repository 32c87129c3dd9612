// Whole-model placement: the fastest device that runs every operation.
#include "core/plan/partition.h"

#include <numeric>

#include "core/base/trace.h"

namespace nnvk {
namespace {

// Names the first operation that stands in the way and what each device says about it.
Error no_device_error(const Plan& plan, std::span<const std::vector<Placement>> placements,
                      std::span<const std::string> device_names) {
  for (uint32_t n = 0; n < plan.nodes.size(); ++n) {
    bool anywhere = false;
    std::string reasons;
    for (size_t d = 0; d < placements.size(); ++d) {
      anywhere = anywhere || placements[d][n].supported;
      if (!reasons.empty()) reasons += "; ";
      reasons += device_names[d] + ": " + (placements[d][n].supported ? "supported" : placements[d][n].reason);
    }
    if (!anywhere) {
      return Error{Code::kBadData, plan.describe(plan.nodes[n]) + " runs on none of the allowed devices: " + reasons};
    }
  }
  std::string missing;
  for (size_t d = 0; d < placements.size(); ++d) {
    for (uint32_t n = 0; n < plan.nodes.size(); ++n) {
      if (placements[d][n].supported) continue;
      if (!missing.empty()) missing += "; ";
      missing += device_names[d] + " lacks " + plan.describe(plan.nodes[n]) + ": " + placements[d][n].reason;
      break;
    }
  }
  return Error{Code::kBadData, "no single device runs the whole model: " + missing};
}

}  // namespace

Result<std::vector<Partition>> partition_plan(const Plan& plan, std::span<const std::vector<Placement>> placements,
                                              std::span<const std::string> device_names) {
  const trace::Section section("[NN_LR_PC]partition");
  size_t best = placements.size();
  double best_seconds = 0;
  for (size_t d = 0; d < placements.size(); ++d) {
    bool whole = true;
    double seconds = 0;
    for (const Placement& placement : placements[d]) {
      whole = whole && placement.supported;
      seconds += placement.predicted_seconds;
    }
    if (whole && (best == placements.size() || seconds < best_seconds)) {
      best = d;
      best_seconds = seconds;
    }
  }
  if (best == placements.size()) return fail(no_device_error(plan, placements, device_names));
  Partition all;
  all.device = best;
  all.nodes.resize(plan.nodes.size());
  std::iota(all.nodes.begin(), all.nodes.end(), 0U);
  return std::vector<Partition>{std::move(all)};
}

}  // namespace nnvk
