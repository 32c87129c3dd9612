// Parameters of the depthwise convolution. Read by C++ and GLSL. Common specialization constants: convolution_params.h.
#ifndef NNVK_SHADERS_DEPTHWISE_PARAMS_H
#define NNVK_SHADERS_DEPTHWISE_PARAMS_H

#include "convolution_geometry.h"
#include "shared_types.h"

NNVK_SHARED_BEGIN

// Further specialization constants. With a non-zero filter width the columns of a filter row are read once for the whole tile;
// dilation must be 1 then and the filter is at most 256 wide. Zero: any filter, one read per tap.
NNVK_SHARED_CONST uint kDepthwiseFilterWidthId = 4;
NNVK_SHARED_CONST uint kDepthwiseStrideWidthId = 5;  // with a non-zero filter width only
// bool, with a zero filter width only: a dispatch adds up the taps [chunk_begin, chunk_end).
NNVK_SHARED_CONST uint kDepthwiseChunkedId = 6;

struct DepthwiseParams {
  NNVK_CONVOLUTION_GEOMETRY
  uint tiles;       // row_tiles * out_height * batches
  uint row_tiles;   // out_width / tile pixels, rounded up
  uint multiplier;  // output channels per input channel
  uint in_stride_batch;
  uint chunk_begin;  // taps are numbered row by row (kDepthwiseChunkedId)
  uint chunk_end;    // all taps in the last dispatch
};

NNVK_SHARED_END

#endif
