// Decides which device runs which nodes. Pure: takes the devices' placements and returns the choice.
#pragma once

#include "core/plan/node_placement.h"
#include "core/plan/plan.h"

namespace nnvk {

// A device that may get a part of the plan.
struct Candidate {
  std::string name;
  DeviceType type = DeviceType::kUnknown;
  TransferCosts transfers = kTransfersByCopies;
};

// The nodes that one device runs in one step (docs/nnapi/devices.md#steps), and their expected cost.
struct Partition {
  size_t device = 0;             // index into the candidates
  std::vector<uint32_t> nodes;   // indexes into plan.nodes, in running order
  double predicted_seconds = 0;  // of the nodes
  uint64_t transfer_bytes = 0;   // copied to the device and back; an unknown dimension counts as 1
  double transfer_seconds = 0;   // for copying these bytes and starting the work
};
// Returns the time of partitions that run one after the other, transfers included.
double predicted_seconds(std::span<const Partition> partitions);

// Distributes the plan over the candidates; the partitions run one after the other. `placements[c][n]` is the answer of candidate
// c for node n; candidates are in NNAPI's device order. If devices other than a CPU can run the whole plan, the fastest of them
// runs it. The exception: an accelerator with a part of the plan saves a fifth of the predicted time. Otherwise the function
// chooses partitions whose predicted time, transfers included, is small, and at most that of the plan on one device. BAD_DATA,
// with the operation and every reason, if no device runs an operation. The preference for low power changes nothing: devices
// report no power figures (docs/nnapi/devices.md#choosing-a-device).
Result<std::vector<Partition>> partition_plan(const Plan& plan, std::span<const std::vector<Placement>> placements,
                                              std::span<const Candidate> candidates);

}  // namespace nnvk
