// Parameters of 8-bit products by integer dot products: dense, grouped, transposed and fully connected layers and matrix
// products. Also the packing of their weights and images. Read by C++ and GLSL.
//
// All bytes here are signed: unsigned types are shifted by -128 (their top bit is flipped), zero points too. A word holds four
// channels of one pixel, or the weights of four input channels for one output channel. Missing weights are zero; missing channels
// hold the zero point and count in n. For n pairs of bytes x and w with zero points zx and zw:
//   sum (x - zx)(w - zw) = sum x w - zw sum x - zx (sum w - n zw).
// The last part is the "correction" of an output channel. It is known together with the weights, except for transposed
// convolutions, where it depends on the pixel. Cells outside the image hold zx.
#ifndef NNVK_SHADERS_DOT_CONVOLUTION_PARAMS_H
#define NNVK_SHADERS_DOT_CONVOLUTION_PARAMS_H

#include "convolution_geometry.h"
#include "shared_types.h"

NNVK_SHARED_BEGIN

// Strides of the input are in words, or in vectors of four words if the kernel reads those; in_stride_channel is unused.
struct DotConvolutionParams {
  NNVK_CONVOLUTION_GEOMETRY
  uint pixels;            // as in ConvolutionParams
  uint channel_tiles;     // groups * group_tiles
  uint in_steps;          // loads per tap and group: words, or vectors of words
  uint group_tiles;       // output channels of a group / (4 * tile vectors), rounded up
  uint group_channels;    // output channels of a group
  uint in_stride_group;   // like in_stride_pixel
  uint out_stride_group;  // in elements; a multiple of four without SCALAR_OUTPUT
  int sign_flip;          // for words of the input: kSignBits, or 0 if they are signed
  int weight_zero_point;  // of the signed weights
};

NNVK_SHARED_CONST uint kDotInvocations = 64;  // of a work group of dot_convolution.comp

// The top bits of four bytes.
NNVK_SHARED_CONST int kSignBits = int(0x80808080u);

// Packed weights, in vectors of four words. Rows (group * taps + tap) * words + word have `columns` vectors; lane n % 4 of column
// n / 4 holds four weights for output channel n. A vector of corrections follows for every group and column. Then the scales
// follow, all mantissas before all exponents, as in scales_table().
struct DotPackParams {
  uint vectors;       // with weights: groups * group_rows * columns
  uint columns;       // vectors per row
  uint group_rows;    // taps * words
  uint words;         // per tap
  uint out_channels;  // per group
  uint in_channels;   // per tap
  uint stride_group;  // in elements of the filter tensor: next group, output channel, tap, input channel
  uint stride_channel;
  uint stride_tap;
  uint stride_k;
  int sign_flip;  // kSignBits for unsigned weights
};

// Writes the corrections and scales after the weights.
struct DotConstantsParams {
  uint corrections;  // groups * columns
  uint scales;       // vectors
  uint columns;
  uint group_rows;
  int in_zero_point;  // zx
  int weight_offset;  // n * zw, where n counts all bytes of the words of a sum
};

// Copies an image into words: by pixel, then by group, with `words` words per group.
struct DotImageParams {
  uint count;  // words in all
  uint words;  // per group of a pixel
  uint groups;
  uint plane;           // pixels of an image
  uint group_channels;  // input channels of a group
  uint stride_image;    // in elements of the input: next image, pixel, channel; next group
  uint stride_pixel;
  uint stride_channel;
  uint stride_group;
  int sign_flip;      // kSignBits for unsigned bytes
  int in_zero_point;  // of the signed bytes, for missing channels
};

// Depthwise layers: the four bytes of a word are rows of the filter, so a product sums over these rows of one column. In the
// packed weights, "input channels" are the rows of the filter and taps its columns: row column * words + row / 4. Strides of the
// input are in words (four channels).
struct DotDepthwiseParams {
  NNVK_CONVOLUTION_GEOMETRY
  uint tiles;      // row_tiles * out_height * batches
  uint row_tiles;  // out_width / tile pixels, rounded up
  uint in_stride_batch;
  uint row_words;  // rows of the filter / 4, rounded up
  int sign_flip;
  int weight_zero_point;
};

NNVK_SHARED_END

#endif
