// FLOAT16 by the kernels of FLOAT32.
#pragma once

#include <memory>

#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

// The kernel that `make` has for the node with floats in place of its halves: inputs are widened before it and outputs rounded
// behind it, once, as the reference does. Null for nodes without halves, for operations where that would give something else,
// and where `make` has none.
std::unique_ptr<OptimizedKernel> make_half_kernel(const KernelNode& node,
                                                  std::unique_ptr<OptimizedKernel> (*make)(const KernelNode& node));

}  // namespace nnvk::cpu
