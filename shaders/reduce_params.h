// Parameters of reduce.comp.
#ifndef NNVK_SHADERS_REDUCE_PARAMS_H
#define NNVK_SHADERS_REDUCE_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
// Neighbouring dimensions that are all kept or all reduced are merged, so that the two kinds alternate: at most four of each,
// innermost first. Strides, and the sizes of a kept innermost dimension, are in elements or in quads. The reduced elements of a
// result are numbered in the order of the input and folded in chunks. Partial results are stored in quads, all results of chunk 0
// first.
struct ReduceParams {
  uint units;  // invocations: quads * number of chunks
  uint quads;  // of results
  uint results;
  uint kept_sizes[3];  // of all but the outermost kept dimension
  uint kept_strides[4];
  uint sizes[4];  // of the reduced dimensions
  uint strides[4];
  uint count;    // elements per result: the product of `sizes`
  uint chunk;    // elements folded by one invocation
  uint divisor;  // MEAN
};

// Values of the OPERATION constant. Float kernels: all but ALL and ANY. Integer kernels: all but PROD and SUM.
NNVK_SHARED_CONST uint kReduceMean = 0;
NNVK_SHARED_CONST uint kReduceSum = 1;
NNVK_SHARED_CONST uint kReduceProd = 2;
NNVK_SHARED_CONST uint kReduceMax = 3;
NNVK_SHARED_CONST uint kReduceMin = 4;
NNVK_SHARED_CONST uint kReduceAll = 5;
NNVK_SHARED_CONST uint kReduceAny = 6;
NNVK_SHARED_CONST uint kReduceBiasedSum = 7;  // of bytes plus 128, so that nothing is negative
NNVK_SHARED_CONST uint kReduceMeanOfBiasedSums = 8;
NNVK_SHARED_END

#endif
