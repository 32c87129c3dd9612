// The sample NPU's device: its limits around a backend that computes.
#pragma once

#include <memory>

#include "core/runtime/device.h"

namespace nnvk::sample_npu {

// "npu", of type accelerator. There is no chip: what a driver would send to one is computed by the reference's kernels on one
// thread, so its integers are the reference's.
std::unique_ptr<Device> make_npu_device();

}  // namespace nnvk::sample_npu
