// The sample NPU's device: its limits around a backend that computes.
#pragma once

#include <memory>

#include "core/runtime/device.h"

namespace nnvk::sample_npu {

// "npu", of type accelerator. There is no chip: the reference's kernels compute on one thread in its place, so its integers are
// the reference's.
std::unique_ptr<Device> make_npu_device();

}  // namespace nnvk::sample_npu
