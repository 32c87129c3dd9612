// Parameters of the softmax kernels. A tensor has the form outer x size x inner around the axis; a slice is one (outer, inner).
#ifndef NNVK_SHADERS_SOFTMAX_PARAMS_H
#define NNVK_SHADERS_SOFTMAX_PARAMS_H

#include "slice_steps.h"

NNVK_SHARED_BEGIN
struct SoftmaxParams {
  uint slices;  // outer * inner
  uint size;    // elements along the axis
  uint inner;   // elements between neighbours along the axis
  uint quads;   // elements of the tensor / 4, rounded up
  float beta;   // float kernels
  uint begin;   // statistics: the elements of every slice to fold, and how (slice_steps.h)
  uint end;
  uint steps;
};
NNVK_SHARED_END

#endif
