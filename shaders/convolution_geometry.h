// The parameters that dense and depthwise convolutions share. Read by C++ and GLSL.
#ifndef NNVK_SHADERS_CONVOLUTION_GEOMETRY_H
#define NNVK_SHADERS_CONVOLUTION_GEOMETRY_H

#include "shared_types.h"

// Members of ConvolutionParams and DepthwiseParams: sizes, window, addressing, limits of the result. Strides of the input are in
// vectors of four elements, or in elements with SCALAR_INPUT. A row is in_width pixels. Strides of the output are in elements and
// only used with SCALAR_OUTPUT. lo and hi are the activation limits. Integer kernels limit the quantized value, which a float
// holds exactly (at most 8 bits, or powers of two).
#define NNVK_CONVOLUTION_GEOMETRY \
  uint out_channels;              \
  uint in_height;                 \
  uint in_width;                  \
  uint out_height;                \
  uint out_width;                 \
  uint filter_height;             \
  uint filter_width;              \
  int stride_height;              \
  int stride_width;               \
  int dilation_height;            \
  int dilation_width;             \
  int pad_top;                    \
  int pad_left;                   \
  uint in_stride_pixel;           \
  uint in_stride_channel;         \
  uint out_stride_pixel;          \
  uint out_stride_channel;        \
  int in_zero_point;              \
  int out_zero_point;             \
  float lo;                       \
  float hi;

#endif
