// Decides which device runs which nodes. Pure: takes the devices' placements, returns the choice.
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

// The nodes that one device runs in one step (docs/nnapi/devices.md#steps), and the expected cost.
struct Partition {
  size_t device = 0;             // index into the candidates
  std::vector<uint32_t> nodes;   // indexes into plan.nodes, in running order
  double predicted_seconds = 0;  // of the nodes
  uint64_t transfer_bytes = 0;   // copied to the device and back; an unknown dimension counts as 1
  double transfer_seconds = 0;   // for copying these bytes and starting the work
};

// `placements[c][n]`: the answer of candidate c for node n. Candidates are in NNAPI's device order. A plan that a non-CPU device
// can run whole stays whole, on the fastest such device. The exception: an accelerator with a part of it saves a fifth of the
// predicted time. Otherwise the nodes are distributed so that the predicted time, transfers included, is small; it never exceeds
// that of the plan on one device. The partitions run one after the other. BAD_DATA, naming the operation and every reason, if no
// device runs an operation. Devices report no power figures, so the preference for low power changes nothing
// (docs/nnapi/devices.md#choosing-a-device).
Result<std::vector<Partition>> partition_plan(const Plan& plan, std::span<const std::vector<Placement>> placements,
                                              std::span<const Candidate> candidates);

}  // namespace nnvk
