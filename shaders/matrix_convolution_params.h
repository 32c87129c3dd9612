// Parameters of the convolutions and matrix products that use cooperative matrices, and of the packing of their weights. Read by
// C++ and GLSL.
//
// Inputs and weights are multiplied in chunks of 16 bytes: 8 halves, or 16 signed bytes as in dot_convolution_params.h, whose
// rules for zero points also hold here. A chunk holds input channels of one tap; weights of zero fill the last chunk of a tap.
#ifndef NNVK_SHADERS_MATRIX_CONVOLUTION_PARAMS_H
#define NNVK_SHADERS_MATRIX_CONVOLUTION_PARAMS_H

#include "convolution_geometry.h"
#include "dot_convolution_params.h"
#include "shared_types.h"

NNVK_SHARED_BEGIN

// Invocations of a work group. Every Vulkan device supports this many, in whole subgroups.
NNVK_SHARED_CONST uint kMatrixInvocations = 128;
// Chunks of a pixel, and of an output channel, that a work group holds in shared memory.
NNVK_SHARED_CONST uint kMatrixChunks = 4;

// Members of both structs. Strides of the input are in elements with SCALAR_INPUT. Else they are in vectors of four halves or
// floats, in words, or with WIDE_INPUT in chunks.
#define NNVK_MATRIX_PRODUCT                                                     \
  uint pixels;         /* batches * out_height * out_width */                   \
  uint channel_tiles;  /* groups * group_tiles */                               \
  uint group_tiles;    /* output channels of a group / those of a work group */ \
  uint group_channels; /* output channels of a group */                         \
  uint tap_chunks;     /* per group */                                          \
  uint tap_size;       /* input channels of a group; of bytes: words */         \
  uint in_stride_group;                                                         \
  uint out_stride_group; /* in elements; a multiple of four without SCALAR_OUTPUT */

struct MatrixFloatParams {
  NNVK_CONVOLUTION_GEOMETRY
  NNVK_MATRIX_PRODUCT
  float residual_lo;  // limits after the residual is added
  float residual_hi;
};

struct MatrixIntegerParams {
  NNVK_CONVOLUTION_GEOMETRY
  NNVK_MATRIX_PRODUCT
  int sign_flip;  // as in DotConvolutionParams
  int weight_zero_point;
};

// Packed weights: vector (group * group_chunks + chunk) * columns + n holds 16 bytes for output channel n. For bytes, a vector of
// corrections follows for every four columns, then the scales (DotConstantsParams).
struct MatrixPackParams {
  uint vectors;       // with weights: groups * group_chunks * columns
  uint columns;       // output channels of a group, rounded up to whole vectors
  uint group_chunks;  // taps * tap_chunks
  uint tap_chunks;
  uint out_channels;  // per group
  uint in_channels;   // per tap
  uint stride_group;  // in elements of the filter tensor: next group, output channel, tap, input channel
  uint stride_channel;
  uint stride_tap;
  uint stride_k;
  int sign_flip;  // kSignBits for unsigned weights
};

NNVK_SHARED_END

#endif
