// Decides which device runs what. Pure: takes the devices' placements, returns the choice.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/plan/plan.h"
#include "core/runtime/device.h"

namespace nnvk {

// One partition: which nodes run on which candidate device, in order.
struct Partition {
  size_t device = 0;             // index into the candidates
  std::vector<uint32_t> nodes;   // indexes into plan.nodes
};

// `placements[d][n]`: what candidate device d says of node n. Candidates are in NNAPI's device order.
// A plan that one device can run whole stays whole: of those that can, the one with the smallest predicted time.
// BAD_DATA naming the operation and every device's reason when no single device can run all of it.
Result<std::vector<Partition>> partition_plan(const Plan& plan, std::span<const std::vector<Placement>> placements,
                                              std::span<const std::string> device_names);

}  // namespace nnvk
