// Measures what a device reaches at best: the figures that the time of an operation is compared with.
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "vulkan/recording/gpu.h"

namespace nnvk::vulkan {

// Multiply-adds in registers (floats; 32-bit integers for the 8-bit kernels, which accumulate in those; a multiply-add counts 2),
// reads of vec4 by shaders, copies of buffers (bytes copied, not read plus written). Takes one to two seconds and blocks; not on
// the completion thread. Other work on the device makes the figures smaller.
Result<Ceilings> measure_ceilings(const std::shared_ptr<Gpu>& gpu);

}  // namespace nnvk::vulkan
