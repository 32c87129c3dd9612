// The device of the sample NPU: applies its limits to a backend that computes.
#pragma once

#include <memory>

#include "core/runtime/device.h"

namespace nnvk::sample_npu {

// Makes the device "npu", of type accelerator. There is no chip: the reference kernels compute in its place, on one thread, so
// its integer results equal the reference's.
std::unique_ptr<Device> make_npu_device();

}  // namespace nnvk::sample_npu
