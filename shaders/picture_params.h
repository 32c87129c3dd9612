// Parameters of picture.comp. core/operations/parameters/picture_conversion.h explains the numbers.
#ifndef NNVK_SHADERS_PICTURE_PARAMS_H
#define NNVK_SHADERS_PICTURE_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
// The sample layout of a picture: the specialization constant SOURCE.
NNVK_SHARED_CONST uint kSourceRgb = 0;
NNVK_SHARED_CONST uint kSourceRgba = 1;
NNVK_SHARED_CONST uint kSourceYuv = 2;
NNVK_SHARED_CONST uint kSourceGrey = 4;    // one byte
NNVK_SHARED_CONST uint kSourceYuvTen = 3;  // ten bits at the top of two bytes, the lower byte first

// The specialization constant FILTER; the numbers are those of PictureFilter.
NNVK_SHARED_CONST uint kFilterNearest = 1;
NNVK_SHARED_CONST uint kFilterArea = 2;

struct PictureParams {
  uint elements;  // of the tensor
  uint width;     // pixels of the tensor
  uint height;
  uint pixels;      // of all elements of the batch
  uint crop_words;  // of the taps of one element of the batch
  int cr_offset;
  float zero_point;
  float lowest;
  float highest;
  float matrix[9];
  float offset[3];
  float mean[4];
  float factor[4];
};
NNVK_SHARED_END

#endif
