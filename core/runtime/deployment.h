// Decides, from the devices' answers (Placement), which device runs which part of a plan.
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/plan/partition.h"
#include "core/plan/rewrites.h"
#include "core/runtime/device.h"
#include "core/runtime/placement.h"

namespace nnvk {

// Returns the measured or assumed costs of moving data to a device and back.
inline TransferCosts transfer_costs(Device& device) {
  if (const CostModel* const costs = device.costs()) return costs->transfers();
  return device.info().type == DeviceType::kCpu ? kTransfersInPlace : kTransfersByCopies;
}

struct Deployment {
  PlanPointer plan;
  std::vector<Partition> partitions;
  // Per node of `plan`: index into the devices. `devices.size()`: control flow, whose referenced models are distributed likewise.
  std::vector<size_t> device_of;
  bool is_whole = false;  // everything on one device
};

// Distributes `plan`, which has no views, over the devices, which store intermediate results in `groundworks`. BAD_DATA, with the
// operation, if no device runs an operation.
Result<Deployment> deploy(const PlanPointer& plan, std::span<Device* const> devices, Groundworks& groundworks);
Result<Deployment> deploy(const PlanPointer& plan, std::span<Device* const> devices);

}  // namespace nnvk
