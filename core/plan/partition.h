// Decides which device runs what. Pure: takes the devices' placements, returns the choice.
#pragma once

#include "core/plan/plan.h"
#include "core/runtime/device.h"

namespace nnvk {

// A device that may get a part of the plan.
struct Candidate {
  std::string name;
  DeviceType type = DeviceType::kUnknown;
  TransferCosts transfers = kTransfersByCopies;
};

// What one device runs in one go (docs/nnapi/devices.md#steps), and what that is expected to cost.
struct Partition {
  size_t device = 0;             // index into the candidates
  std::vector<uint32_t> nodes;   // indexes into plan.nodes, in running order
  double predicted_seconds = 0;  // of the nodes
  uint64_t transfer_bytes = 0;   // brought to the device and taken away; an unknown dimension counts as 1
  double transfer_seconds = 0;   // for these, with the start of the work
};

// `placements[c][n]`: what candidate c says of node n. Candidates are in NNAPI's device order.
// A plan that a device other than the CPU runs whole stays whole, on the fastest device that runs it whole, unless an accelerator
// is predicted to save a fifth of the time with a part of it. Else the nodes are distributed so that the predicted time,
// transfers between devices included, is small; never more than that of the plan on one device. The partitions run one after the
// other. BAD_DATA naming the operation and every reason when nobody runs an operation. Devices give no power figures, so the
// preference for low power decides nothing here (docs/nnapi/devices.md#choosing-a-device).
Result<std::vector<Partition>> partition_plan(const Plan& plan, std::span<const std::vector<Placement>> placements,
                                              std::span<const Candidate> candidates);

}  // namespace nnvk
