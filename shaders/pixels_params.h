// Parameters of pixels.comp. core/operations/parameters/pixel_conversion.h explains the numbers.
#ifndef NNVK_SHADERS_PIXELS_PARAMS_H
#define NNVK_SHADERS_PIXELS_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
NNVK_SHARED_CONST uint kNoSource = 4;  // a channel with only an offset

struct PixelsParams {
  uint elements;  // of the result
  uint pixels;
  uint source[4];
  float factor[4];
  float offset[4];
  float lowest;
  float highest;
};
NNVK_SHARED_END

#endif
