// The operands of RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR, and the input rows and columns from which each output row and
// column is computed. The host computes them once for CPU and GPU, so that both use the same float32 arithmetic.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

// Short signatures omit some of the last flags.
namespace resize {
enum Input : size_t { kImage, kWidth, kHeight, kLayout, kAlignCorners, kHalfPixelCenters };
enum Output : size_t { kOutput };
}  // namespace resize

struct ResizeMapping {
  bool align_corners = false;
  bool half_pixel_centers = false;
};

struct ResizeParameters {
  bool nchw = false;
  ResizeMapping mapping;
};
// Decodes an operation that infer() has accepted and whose flags are known.
Result<ResizeParameters> resize_parameters(const OperationView& operation);

// The positions of two neighbours along one axis, and the weight of the second. With half-pixel centres, weights at the leading
// edge may be negative; there both neighbours are the same element.
struct ResizeTap {
  uint32_t low = 0;
  uint32_t high = 0;
  float weight = 0.0F;
};

// Both functions return one entry per output position; sizes > 0. Rule: numerics of RESIZE_BILINEAR / RESIZE_NEAREST_NEIGHBOR.
std::vector<ResizeTap> bilinear_taps(uint32_t in, uint32_t out, ResizeMapping mapping);
std::vector<uint32_t> nearest_sources(uint32_t in, uint32_t out, ResizeMapping mapping);

}  // namespace nnvk
