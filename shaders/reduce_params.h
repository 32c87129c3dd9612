// Parameters of reduce.comp.
#ifndef NNVK_SHADERS_REDUCE_PARAMS_H
#define NNVK_SHADERS_REDUCE_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
// Dimensions alternate between kept and reduced once neighbours of a kind are merged: at most four of each, innermost first.
// Units of the input are elements or quads.
struct ReduceParams {
  uint units;            // of the output
  uint kept_sizes[3];    // of all but the outermost kept dimension
  uint kept_strides[4];
  uint sizes[4];         // of the reduced dimensions
  uint strides[4];
  uint count;            // elements per result: the product of `sizes`
};

// Values of the OPERATION constant. Float kernels: all but ALL and ANY. Integer kernels: all but PROD and SUM.
NNVK_SHARED_CONST uint kReduceMean = 0;
NNVK_SHARED_CONST uint kReduceSum = 1;
NNVK_SHARED_CONST uint kReduceProd = 2;
NNVK_SHARED_CONST uint kReduceMax = 3;
NNVK_SHARED_CONST uint kReduceMin = 4;
NNVK_SHARED_CONST uint kReduceAll = 5;
NNVK_SHARED_CONST uint kReduceAny = 6;
NNVK_SHARED_END

#endif
