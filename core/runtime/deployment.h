// Which device runs which part of a plan, decided from the devices' answers (Placement).
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
  // Per node of `plan`: index into the devices. `devices.size()`: control flow whose referenced models are distributed in the
  // same way.
  std::vector<size_t> device_of;
  bool is_whole = false;  // everything on one device

  double predicted_seconds() const;
};

// Distributes `plan`, which has no views, over the devices. They store intermediate results in `groundworks`. BAD_DATA, naming
// the operation, if no device runs an operation.
Result<Deployment> deploy(const PlanPointer& plan, std::span<Device* const> devices, Groundworks& groundworks);
Result<Deployment> deploy(const PlanPointer& plan, std::span<Device* const> devices);

}  // namespace nnvk
