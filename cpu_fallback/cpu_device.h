// The CPU device `nnvk-cpu` runs every operation: on a fast kernel if there is one, else on the reference kernel.
#pragma once

#include <memory>

#include "core/runtime/device.h"

namespace nnvk::cpu {

struct CpuDeviceOptions {
  unsigned threads = 0;       // that operations are split over; 0: one per core
  bool use_optimized = true;  // false: the reference's kernels everywhere, for comparisons
};

std::unique_ptr<Device> make_cpu_device(const CpuDeviceOptions& options);

}  // namespace nnvk::cpu
