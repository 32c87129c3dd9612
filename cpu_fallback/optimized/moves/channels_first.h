// Runs kernels for channels-last images on channels-first ones: transposes the images before and after.
#pragma once

#include <memory>

#include "core/operations/parameters/window_parameters.h"
#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

// Makes a convolution kernel by make(node, p) for channels-last images; returns null if `make` does. If `p` has channels-first
// images, the kernel runs between two transpositions.
using MakeWindowKernel = std::unique_ptr<OptimizedKernel> (*)(const KernelNode& node, const WindowParameters& p);
std::unique_ptr<OptimizedKernel> make_in_either_layout(const KernelNode& node, const WindowParameters& p, MakeWindowKernel make);

}  // namespace nnvk::cpu
