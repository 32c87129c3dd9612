// Decodes ROI_ALIGN and ROI_POOLING for all devices: sizes that do not depend on the layout, scalars as float32, limits. Pure.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

// The first operands of both operations.
namespace region {
enum Input : size_t { kImage, kRois, kBatches, kOutHeight, kOutWidth, kStrideY, kStrideX };
enum Output : size_t { kOutput };
}  // namespace region
namespace roi_align {
enum Input : size_t { kSamplesY = 7, kSamplesX, kNchw };
}
namespace roi_pooling {
enum Input : size_t { kNchw = 7 };
}

struct RegionParameters {
  bool align = false;                                         // ROI_ALIGN
  bool nchw = false;                                          // layout of image and output
  uint32_t batches = 0, height = 0, width = 0, channels = 0;  // of the feature map
  uint32_t regions = 0;
  uint32_t out_height = 0, out_width = 0;
  float scale_y = 1.0F, scale_x = 1.0F;  // feature cells per image pixel: 1 / stride
  int32_t samples_y = 0, samples_x = 0;  // ROI_ALIGN: sample points per cell and direction; 0: as many as the region has cells
};

// The weights of 8-bit samples are rounded to steps of this size.
inline constexpr float kRegionWeightScale = 1.0F / 255.0F;
// Returns the factor from sums of weighted 8-bit samples to the output's scale. Callers also divide by the number of samples.
float region_multiplier(const OperandInfo& image, const OperandInfo& output);

// Decodes an operation that infer() has accepted. OP_FAILED names a value that is unknown or outside the runtime's limits.
Result<RegionParameters> region_parameters(const OperationView& operation);

}  // namespace nnvk
