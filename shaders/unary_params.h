// Parameters of unary.comp.
#ifndef NNVK_SHADERS_UNARY_PARAMS_H
#define NNVK_SHADERS_UNARY_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
struct UnaryParams {
  uint count;  // UnaryFloat: quads of elements; UnaryTable: blocks of 16 bytes
};

// Values of the OPERATION constant.
NNVK_SHARED_CONST uint kUnaryRelu = 0;
NNVK_SHARED_CONST uint kUnaryRelu1 = 1;
NNVK_SHARED_CONST uint kUnaryRelu6 = 2;
NNVK_SHARED_CONST uint kUnaryLogistic = 3;
NNVK_SHARED_CONST uint kUnaryTanh = 4;
NNVK_SHARED_CONST uint kUnaryHardSwish = 5;
NNVK_SHARED_END

#endif
