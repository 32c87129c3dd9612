// Parameters of the normalisation kernels. A tensor has the form outer x size x inner; a slice is one (outer, inner).
#ifndef NNVK_SHADERS_NORMALIZATION_PARAMS_H
#define NNVK_SHADERS_NORMALIZATION_PARAMS_H

#include "slice_steps.h"

NNVK_SHARED_BEGIN
// L2_NORMALIZATION and INSTANCE_NORMALIZATION.
struct NormalizationParams {
  uint slices;  // outer * inner
  uint size;    // elements of a slice
  uint inner;   // elements between neighbours of a slice
  uint quads;   // elements of the tensor / 4, rounded up
  float gamma;  // float kernels: result = (x - mean) * gamma / divisor + beta
  float beta;
  float epsilon;   // INSTANCE_NORMALIZATION: added to the variance
  int zero_point;  // integer kernels: of the input
  uint begin;      // statistics: the elements of every slice to fold, and how (slice_steps.h)
  uint end;
  uint steps;
};

// LOCAL_RESPONSE_NORMALIZATION.
struct LocalResponseParams {
  uint elements;  // of the tensor
  uint size;      // of the axis
  uint inner;
  uint radius;  // at most `size`
  float bias;
  float alpha;
  float beta;
};

// Values of the OPERATION constant.
NNVK_SHARED_CONST uint kNormalizationL2 = 0;
NNVK_SHARED_CONST uint kNormalizationInstance = 1;
NNVK_SHARED_END

#endif
