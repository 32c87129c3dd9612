// Runs kernels for channels-last images on channels-first ones: transposes the images before and after.
#pragma once

#include <functional>
#include <memory>

#include "core/operations/parameters/window_parameters.h"
#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

// Makes the kernel of a convolution or pooling by make(node, p) for channels-last images; returns null if `make` does, or if the
// parameters are not known. If the node has channels-first images, the kernel runs between two transpositions.
using MakeWindowKernel = std::function<std::unique_ptr<OptimizedKernel>(const KernelNode& node, const WindowParameters& p)>;
std::unique_ptr<OptimizedKernel> make_in_either_layout(const KernelNode& node, const MakeWindowKernel& make);

}  // namespace nnvk::cpu
