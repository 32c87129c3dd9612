// Parameters of argmax.comp.
#ifndef NNVK_SHADERS_ARGMAX_PARAMS_H
#define NNVK_SHADERS_ARGMAX_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
struct ArgmaxParams {
  uint results;  // outer * inner
  uint size;     // of the axis
  uint inner;    // elements between neighbours along the axis
};
NNVK_SHARED_END

#endif
