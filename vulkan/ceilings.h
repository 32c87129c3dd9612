// Measures the peak compute and memory speed of a device, for comparison with the time of an operation.
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "vulkan/recording/gpu.h"

namespace nnvk::vulkan {

// Measures multiply-adds in registers, vec4 reads by shaders and buffer copies. A multiply-add is 2 operations. 8-bit kernels get
// the figure of 32-bit integers, because they accumulate in these. A copied byte counts twice, as read and as written. Blocks for
// one to two seconds; do not call it on the completion thread. Other work on the device lowers the figures.
Result<Ceilings> measure_ceilings(const std::shared_ptr<Gpu>& gpu);

}  // namespace nnvk::vulkan
