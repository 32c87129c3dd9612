// Depthwise convolutions of floats: every channel has its own filter. Vectors hold neighbouring channels. Kernels read the image
// in place and leave cells outside it out of the sums.
#pragma once

#include <cstddef>

#include "core/operations/parameters/window_parameters.h"
#include "cpu_fallback/optimized/vectors/float_finish.h"

namespace nnvk::cpu {

struct FloatDepthwise {
  const WindowParameters* window = nullptr;  // of an NHWC image with as many channels as there are outputs
  const float* image = nullptr;
  const float* weights = nullptr;  // [taps][channels, rounded up to float_lanes()], aligned
  const float* bias = nullptr;     // [channels, rounded up], aligned
  FloatFinish finish;
  float* out = nullptr;  // NHWC
};
// Computes the output rows [first, end). Numbers of rows count on through all batches: row y of batch b is b * out_height + y.
void float_depthwise(const FloatDepthwise& depthwise, size_t first, size_t end);

}  // namespace nnvk::cpu
