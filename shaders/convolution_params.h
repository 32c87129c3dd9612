// Parameters of the convolution family: dense, transposed and fully connected layers, their weight packing and the narrowing of
// their results. Read by C++ and GLSL.
#ifndef NNVK_SHADERS_CONVOLUTION_PARAMS_H
#define NNVK_SHADERS_CONVOLUTION_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN

// Specialization constants of convolution.comp and depthwise.comp.
NNVK_SHARED_CONST uint kConvolutionElementId = 0;       // element type of input and output (kElement...)
NNVK_SHARED_CONST uint kConvolutionTilePixelsId = 1;    // output pixels per invocation
NNVK_SHARED_CONST uint kConvolutionScalarInputId = 2;   // bool: input is read element by element (any layout, any channels)
NNVK_SHARED_CONST uint kConvolutionScalarOutputId = 3;  // bool: output is written as one 32-bit word per element, through strides
// Of convolution.comp only.
NNVK_SHARED_CONST uint kConvolutionWindowId = 4;        // kWindow...
NNVK_SHARED_CONST uint kConvolutionResidualId = 5;      // bool: add the residual tensor (float kernel)

// How output pixels find their input cells.
NNVK_SHARED_CONST uint kWindowPointwise = 0;   // 1x1, stride 1, no padding: pixel p reads input pixel p
NNVK_SHARED_CONST uint kWindowInside = 1;      // every filter cell lies inside the image
NNVK_SHARED_CONST uint kWindowPadded = 2;      // cells outside the image count as zero
NNVK_SHARED_CONST uint kWindowTransposed = 3;  // transposed convolution: strides divide instead of multiplying

// Output channels per invocation, in vectors of four. Packed weights have a multiple of it as columns.
NNVK_SHARED_CONST uint kConvolutionTileVectors = 2;
// Products of 8-bit values are summed in float, exactly, over at most this many channels: 256 * 255 * 255 < 2^24.
NNVK_SHARED_CONST uint kConvolutionExactChannels = 256;

// Strides of the input are in vectors of four elements, or in elements with kConvolutionScalarInputId; those of the output are
// in elements and only used with kConvolutionScalarOutputId.
struct ConvolutionParams {
  uint pixels;          // batches * out_height * out_width
  uint channel_tiles;   // output channels / (4 * kConvolutionTileVectors), rounded up
  uint in_steps;        // input channels, or with vector input a quarter of them
  uint out_channels;
  uint weight_columns;  // vectors per row of the packed weights
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
  float lo;             // activation limits; of the quantized value in the integer kernels (exact: at most 8 bits)
  float hi;
  float residual_lo;    // limits after the residual was added
  float residual_hi;
};

// Packs weights of any element type into rows of float vectors: row (tap * in_channels + k), column n/4, lane n%4 holds
// weight(n, tap, k) - zero_point, and zero where n lies beyond the tensor.
struct ConvolutionPackParams {
  uint vectors;         // of the packed weights: taps * in_channels * columns
  uint columns;         // vectors per row
  uint out_channels;
  uint in_channels;     // per tap
  uint stride_channel;  // in elements of the filter tensor: next output channel, tap, input channel
  uint stride_tap;
  uint stride_k;
  int zero_point;
};

// Copies `vectors` times four 32-bit results into the narrower element type of the output tensor.
struct ConvolutionNarrowParams {
  uint vectors;
};

NNVK_SHARED_END

#endif
