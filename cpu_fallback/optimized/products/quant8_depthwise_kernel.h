// The kernel of 8-bit DEPTHWISE_CONV_2D.
#pragma once

#include <memory>

#include "core/operations/parameters/window_parameters.h"
#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

// Makes the kernel of an 8-bit depthwise convolution. It supports only 8-bit operands, NHWC and no residual, and packs weights
// that are not constant in each run.
std::unique_ptr<OptimizedKernel> make_quant8_depthwise_kernel(const KernelNode& node, const WindowParameters& p);

}  // namespace nnvk::cpu
