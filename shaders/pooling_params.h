// Parameters of the pooling kernels.
#ifndef NNVK_SHADERS_POOLING_PARAMS_H
#define NNVK_SHADERS_POOLING_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
// Values of the OPERATION constant.
NNVK_SHARED_CONST uint kPoolingAverage = 0;
NNVK_SHARED_CONST uint kPoolingMax = 1;
NNVK_SHARED_CONST uint kPoolingL2 = 2;  // floats only

// Values of the MODE constant: large windows are folded in chunks.
NNVK_SHARED_CONST uint kPoolingWhole = 0;
NNVK_SHARED_CONST uint kPoolingPartial = 1;  // 32-bit results: sums (of bytes plus 128) or maxima
NNVK_SHARED_CONST uint kPoolingCombine = 2;  // from partial results

// Strides of the input are in elements, or in quads of elements if an invocation pools four channels at once.
struct PoolingParams {
  uint count;  // invocations: quads of the flat output, times chunks with kPoolingPartial
  uint quads;  // of the flat output
  uint chunk;  // kPoolingPartial: cells that one invocation, or LANES of them, fold. Partial results are stored in quads, all of
               // chunk 0 first
  uint chunks;
  uint batches;
  uint out_height;
  uint out_width;
  uint out_channels;  // elements, or quads
  uint in_height;
  uint in_width;
  uint in_stride_batch;
  uint in_stride_row;
  uint in_stride_pixel;
  uint in_stride_channel;
  uint filter_height;
  uint filter_width;
  int stride_height;
  int stride_width;
  int pad_top;
  int pad_left;
  uint nchw;  // order of the output, if single elements are pooled
  float lo;   // activation limits; in the integer kernel those of the quantized value
  float hi;
};
NNVK_SHARED_END

#endif
