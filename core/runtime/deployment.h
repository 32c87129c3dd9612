// Which device runs which part of a plan: the partitions made of the devices' answers.
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/plan/partition.h"
#include "core/plan/rewrites.h"
#include "core/runtime/device.h"
#include "core/runtime/placement.h"

namespace nnvk {

struct Deployment {
  PlanPointer plan;
  std::vector<Partition> partitions;
  // Per node of `plan`: index into the devices. `devices.size()`: control flow whose models are distributed in their turn.
  std::vector<size_t> device_of;
  bool is_whole = false;  // everything on one device

  double predicted_seconds() const;
};

// Distributes `plan` (without views) over the devices, which store their intermediate results in `groundworks`. BAD_DATA, naming
// the operation, if none of them runs it.
Result<Deployment> deploy(const PlanPointer& plan, std::span<Device* const> devices, Groundworks& groundworks);
Result<Deployment> deploy(const PlanPointer& plan, std::span<Device* const> devices);

}  // namespace nnvk
