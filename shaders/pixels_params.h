// Parameters of pixels.comp and gather_pixels.comp. pixel_conversion.h and pixel_gathering.h in core/operations/parameters
// explain the numbers.
#ifndef NNVK_SHADERS_PIXELS_PARAMS_H
#define NNVK_SHADERS_PIXELS_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
NNVK_SHARED_CONST uint kNoSource = 4;  // a channel with only an offset

// The specialization constant PACKING; the numbers are those of PixelPacking.
NNVK_SHARED_CONST uint kFloats11And10 = 1;
NNVK_SHARED_CONST uint kIntegers10And2 = 2;

// Of GATHER_PIXELS: the numbers of ComponentEncoding, and the words of channels and taps in its table.
NNVK_SHARED_CONST uint kEncodedByte = 0;
NNVK_SHARED_CONST uint kEncodedHalf = 1;
NNVK_SHARED_CONST uint kEncodedFloat = 2;
NNVK_SHARED_CONST uint kEncodedFloats11And10 = 3;
NNVK_SHARED_CONST uint kGatheredTapWords = 6;

struct PixelsParams {
  uint elements;  // of the result
  uint pixels;
  uint source[4];
  float factor[4];
  float offset[4];
  float lowest;
  float highest;
};

struct GatherPixelsParams {
  uint elements;  // of the tensor
  uint width;     // pixels of the tensor
  uint pixels;
  uint channels;
  float lowest;
  float highest;
};
NNVK_SHARED_END

#endif
