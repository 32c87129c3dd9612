// Parameters of argmax.comp.
#ifndef NNVK_SHADERS_ARGMAX_PARAMS_H
#define NNVK_SHADERS_ARGMAX_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
struct ArgmaxParams {
  uint results;  // outer * inner
  uint size;     // of the axis
  uint inner;    // elements between neighbours along the axis
  uint begin;    // the range along the axis for one dispatch; the output holds the winners among the elements before `begin`
  uint end;
};

// Values of the OPERATION constant.
NNVK_SHARED_CONST uint kArgmaxLargest = 0;
NNVK_SHARED_CONST uint kArgmaxSmallest = 1;
NNVK_SHARED_END

#endif
