// Parameters of the depthwise convolution. Read by C++ and GLSL. Common specialization constants: convolution_params.h.
#ifndef NNVK_SHADERS_DEPTHWISE_PARAMS_H
#define NNVK_SHADERS_DEPTHWISE_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN

// Further specialization constants. With a non-zero filter width the columns of a filter row are read once for the whole tile;
// dilation must be 1 then and the filter is at most 256 wide. Zero: any filter, one read per tap.
NNVK_SHARED_CONST uint kDepthwiseFilterWidthId = 4;
NNVK_SHARED_CONST uint kDepthwiseStrideWidthId = 5;  // with a non-zero filter width only

// Strides of the input are in vectors of four elements, or in elements with kConvolutionScalarInputId; those of the output are
// in elements and only used with kConvolutionScalarOutputId.
struct DepthwiseParams {
  uint tiles;           // row_tiles * out_height * batches
  uint row_tiles;       // out_width / tile pixels, rounded up
  uint out_channels;
  uint weight_columns;  // vectors per row of the packed weights
  uint multiplier;      // output channels per input channel
  uint in_height;
  uint in_width;
  uint out_height;
  uint out_width;
  uint filter_height;
  uint filter_width;
  int stride_height;
  int stride_width;
  int dilation_height;
  int dilation_width;
  int pad_top;
  int pad_left;
  uint in_stride_batch;
  uint in_stride_row;
  uint in_stride_pixel;
  uint in_stride_channel;
  uint out_stride_batch;
  uint out_stride_pixel;
  uint out_stride_channel;
  int in_zero_point;
  int out_zero_point;
  float lo;             // activation limits; of the quantized value in the integer kernels
  float hi;
};

NNVK_SHARED_END

#endif
