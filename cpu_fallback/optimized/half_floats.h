// Kernels of FLOAT16 that run kernels of FLOAT32.
#pragma once

#include <memory>

#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

// Lets `make` make the kernel of the node with floats instead of halves. That kernel widens inputs first and rounds outputs once
// at the end, as the reference does. Returns null for nodes without halves, and if `make` returns null.
std::unique_ptr<OptimizedKernel> make_half_kernel(const KernelNode& node,
                                                  std::unique_ptr<OptimizedKernel> (*make)(const KernelNode& node));

}  // namespace nnvk::cpu
