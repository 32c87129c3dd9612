// Parameters of resize_bilinear.comp and resize_nearest.comp.
#ifndef NNVK_SHADERS_RESIZE_PARAMS_H
#define NNVK_SHADERS_RESIZE_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
// Images in NHWC order; each plane of a channels-first image counts as a batch with one channel.
struct ResizeParams {
  uint units;     // of the output: elements, or quads of channels
  uint channels;  // in units
  uint in_height;
  uint in_width;
  uint out_height;
  uint out_width;
};
NNVK_SHARED_END

#endif
