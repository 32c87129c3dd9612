// Parameters of the integer matrix product. Read by C++ and GLSL. convolution.comp computes float and 8-bit products.
#ifndef NNVK_SHADERS_MATMUL_PARAMS_H
#define NNVK_SHADERS_MATMUL_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN

NNVK_SHARED_CONST uint kMatmulInt32Tile = 4;  // rows and columns of the output per invocation

// output[b, r, c] = sum over k of x[b, r, k] * y[b, k, c]. Matrices of a batch are consecutive; strides are in elements.
struct MatmulInt32Params {
  uint tiles;  // batches * row_tiles * column_tiles
  uint row_tiles;
  uint column_tiles;
  uint rows;
  uint columns;
  uint depth;
  uint x_row_stride;
  uint x_depth_stride;
  uint y_depth_stride;
  uint y_column_stride;
  uint begin;  // the part of the depth for one dispatch; the output holds the sums of earlier dispatches
  uint end;
};

NNVK_SHARED_END

#endif
