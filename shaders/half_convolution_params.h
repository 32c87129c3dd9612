// Parameters of the convolutions and matrix products that multiply halves. Read by C++ and GLSL. ConvolutionPackParams describe
// the packing of weights, in vectors of eight output channels.
#ifndef NNVK_SHADERS_HALF_CONVOLUTION_PARAMS_H
#define NNVK_SHADERS_HALF_CONVOLUTION_PARAMS_H

#include "convolution_params.h"

NNVK_SHARED_BEGIN

// Output channels per invocation: as many as one load of 16 bytes has.
NNVK_SHARED_CONST uint kHalfTileChannels = 8;

// Members as in ConvolutionParams; the input is always read in vectors of four channels.
struct HalfConvolutionParams {
  NNVK_CONVOLUTION_GEOMETRY
  uint pixels;
  uint channel_tiles;  // groups * group_tiles
  uint in_steps;       // loads per tap and group: QUADS vectors of four channels each
  uint group_tiles;    // output channels of a group / kHalfTileChannels, rounded up
  uint group_channels;
  uint in_stride_group;
  uint out_stride_group;
  float residual_lo;
  float residual_hi;
};

NNVK_SHARED_END

#endif
