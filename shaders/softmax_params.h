// Parameters of the softmax kernels. A tensor is seen as outer x size x inner around the axis; a slice is one (outer, inner).
#ifndef NNVK_SHADERS_SOFTMAX_PARAMS_H
#define NNVK_SHADERS_SOFTMAX_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
struct SoftmaxParams {
  uint slices;  // outer * inner
  uint size;    // elements along the axis
  uint inner;   // elements between neighbours along the axis
  uint quads;   // elements of the tensor / 4, rounded up
  float beta;   // float kernels
};
NNVK_SHARED_END

#endif
