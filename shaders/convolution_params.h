// Parameters of the convolution family: dense, transposed and fully connected layers, their weight packing and the narrowing of
// their results. Read by C++ and GLSL.
#ifndef NNVK_SHADERS_CONVOLUTION_PARAMS_H
#define NNVK_SHADERS_CONVOLUTION_PARAMS_H

#include "convolution_geometry.h"
#include "shared_types.h"

NNVK_SHARED_BEGIN

// How output pixels map to their input cells.
NNVK_SHARED_CONST uint kWindowPointwise = 0;   // 1x1, stride 1, no padding: pixel p reads input pixel p
NNVK_SHARED_CONST uint kWindowInside = 1;      // every filter cell lies inside the image
NNVK_SHARED_CONST uint kWindowPadded = 2;      // cells outside the image count as zero
NNVK_SHARED_CONST uint kWindowTransposed = 3;  // transposed convolution: strides divide instead of multiply

// The groups of packed weights.
NNVK_SHARED_CONST uint kGroupingNone = 0;
NNVK_SHARED_CONST uint kGroupingChannels = 1;  // slices of the channels; bias and scales differ from channel to channel
NNVK_SHARED_CONST uint kGroupingMatrices = 2;  // matrices of a batch, or one matrix; no bias, one scale for all

// Largest tile of output channels, in vectors of four. Packed weights have a multiple of the tile as columns per group.
NNVK_SHARED_CONST uint kConvolutionTileVectors = 2;
// Floats sum products of 8-bit values exactly over at most this many channels: 256 * 255 * 255 < 2^24.
NNVK_SHARED_CONST uint kConvolutionExactChannels = 256;
// Invocations of a work group of convolution_tiled.comp: columns over channels, and rows over pixels.
NNVK_SHARED_CONST uint kTiledColumns = 8;
NNVK_SHARED_CONST uint kTiledRows = 8;
// Invocations of a work group of convolution_split.comp.
NNVK_SHARED_CONST uint kSplitInvocations = 64;
// chunk_end of the dispatch that finishes the sums.
NNVK_SHARED_CONST uint kConvolutionLastChunk = 0xFFFFFFFFu;

// kWindowTransposed: a phase is all output pixels whose coordinates have the same remainders modulo the strides; they use the
// same filter taps. The pixels of a phase form their own grid; in_... and out_... describe the whole images.
struct ConvolutionParams {
  NNVK_CONVOLUTION_GEOMETRY
  uint chunk_begin;  // CHUNKED: the loads of every sum for one dispatch. Loads are the steps of the first tap, then of the second
                     // and so on
  uint chunk_end;
  uint pixels;            // batches * out_height * out_width; transposed: batches * the grid of one phase, rounded up
  uint channel_tiles;     // groups * group_tiles
  uint in_steps;          // input channels of a group, or a quarter of them with vector input
  uint group_tiles;       // output channels of a group / (4 * tile vectors), rounded up
  uint group_channels;    // output channels of a group
  uint in_stride_group;   // in the unit of in_stride_channel
  uint out_stride_group;  // in elements; a multiple of four without SCALAR_OUTPUT
  float residual_lo;      // limits after the residual is added
  float residual_hi;
};

// Packs weights of any element type into rows of float vectors. Row ((group * taps + tap) * in_channels + k), column n/4, lane
// n%4 holds weight(group, n, tap, k) - zero_point, or 0 if n is beyond the group.
struct ConvolutionPackParams {
  uint vectors;       // of the packed weights: groups * group_rows * columns
  uint columns;       // vectors per row
  uint group_rows;    // taps * in_channels
  uint out_channels;  // per group
  uint in_channels;   // per tap
  uint stride_group;  // in elements of the filter tensor: next group, output channel, tap, input channel
  uint stride_channel;
  uint stride_tap;
  uint stride_k;
  int zero_point;
};

// Converts `vectors` times four 32-bit results to the narrower element type of the output tensor.
struct ConvolutionNarrowParams {
  uint vectors;
};

NNVK_SHARED_END

#endif
