// Kernels of everything that is a product of an image (or matrix) and weights.
#pragma once

#include <memory>

#include "core/operations/parameters/window_parameters.h"
#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

// Makes the kernel of CONV_2D and GROUPED_CONV_2D of channels-last images; operands as in
// core/operations/parameters/window_parameters.h. FULLY_CONNECTED, whose operands have the same places, is a convolution of
// one-pixel images. The kernel packs weights that are not constant in each run. Returns null for types other than FLOAT32 and 8
// bits, and for 8 bits with a residual.
std::unique_ptr<OptimizedKernel> make_product_kernel(const KernelNode& node, const WindowParameters& p);

}  // namespace nnvk::cpu
