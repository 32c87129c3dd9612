// Parameters of region.comp.
#ifndef NNVK_SHADERS_REGION_PARAMS_H
#define NNVK_SHADERS_REGION_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
// Values of the specialization constant OPERATION.
NNVK_SHARED_CONST uint kRegionAlign = 0;
NNVK_SHARED_CONST uint kRegionPool = 1;

// Bits of step_flags: the dispatch starts a fold / finishes it. Between dispatches, the partial tensor holds the values.
NNVK_SHARED_CONST uint kRegionFirst = 1;
NNVK_SHARED_CONST uint kRegionLast = 2;

// Words of the status tensor.
NNVK_SHARED_CONST uint kRegionStatusMisplaced = 0;  // a region lies outside the feature map, has no image, or has swapped corners
NNVK_SHARED_CONST uint kRegionStatusMultiplier = 1;  // the requantisation multiplier is not below 1
NNVK_SHARED_CONST uint kRegionStatusWords = 2;

// Sizes and steps of `in` and `out` are in elements, with FOUR_CHANNELS in vectors of four channels.
struct RegionParams {
  uint count;  // groups of four output elements
  uint batches;
  uint in_height;
  uint in_width;
  uint channels;
  uint regions;
  uint out_height;
  uint out_width;
  uint in_step_batch;
  uint in_step_row;
  uint in_step_pixel;
  uint in_step_channel;
  uint nchw;
  int samples_y;  // 0: adaptive
  int samples_x;
  float scale_y;  // feature cells per image pixel
  float scale_x;
  float multiplier;  // 8-bit ROI_ALIGN: input scale / 255 / output scale
  int in_zero_point;
  int out_zero_point;
  uint step_begin;  // rows of samples (ROI_ALIGN) or cells (ROI_POOLING) of an output cell for this dispatch, counted
  uint step_end;    // from the first one
  uint step_flags;
};
NNVK_SHARED_END

#endif
