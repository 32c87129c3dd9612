// Parameters of reduce.comp.
#ifndef NNVK_SHADERS_REDUCE_PARAMS_H
#define NNVK_SHADERS_REDUCE_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
// At most four dimensions alternate between kept and reduced once neighbours of a kind are merged: two of each, innermost first.
// Units of the input are elements or quads.
struct ReduceParams {
  uint units;            // of the output
  uint kept_size;        // of the inner kept dimension
  uint kept_strides[2];
  uint sizes[2];         // of the reduced dimensions
  uint strides[2];
  int count;             // elements per result: sizes[0] * sizes[1]
};
NNVK_SHARED_END

#endif
