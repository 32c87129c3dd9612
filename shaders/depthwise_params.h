// Parameters of the depthwise convolution. Read by C++ and GLSL.
#ifndef NNVK_SHADERS_DEPTHWISE_PARAMS_H
#define NNVK_SHADERS_DEPTHWISE_PARAMS_H

#include "convolution_geometry.h"
#include "shared_types.h"

NNVK_SHARED_BEGIN

struct DepthwiseParams {
  NNVK_CONVOLUTION_GEOMETRY
  uint tiles;       // row_tiles * tile_rows * batches
  uint row_tiles;   // out_width / tile pixels, rounded up
  uint tile_rows;   // out_height / tile rows, rounded up
  uint multiplier;  // output channels per input channel
  uint in_stride_batch;
  uint begin;  // CHUNKED: the taps, in row order, that one dispatch adds up
  uint end;    // in the last dispatch the number of all taps
};

NNVK_SHARED_END

#endif
