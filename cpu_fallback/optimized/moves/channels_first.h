// Channels-first images for kernels that know channels-last ones: turned over before and behind them.
#pragma once

#include <memory>

#include "core/operations/parameters/window_parameters.h"
#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

// Makes a kernel of a convolution by make(node, p) for channels-last images; null if that gives none. Where `p` has
// channels-first images, it is put between two transpositions.
using MakeWindowKernel = std::unique_ptr<OptimizedKernel> (*)(const KernelNode& node, const WindowParameters& p);
std::unique_ptr<OptimizedKernel> make_in_either_layout(const KernelNode& node, const WindowParameters& p, MakeWindowKernel make);

}  // namespace nnvk::cpu
