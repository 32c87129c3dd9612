// Parameters of the unary kernels.
#ifndef NNVK_SHADERS_UNARY_PARAMS_H
#define NNVK_SHADERS_UNARY_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
struct UnaryParams {
  uint count;   // UnaryFloat, UnaryInt32: quads of elements; UnaryTable: blocks of 16 bytes
  float alpha;  // ELU
};

// Values of the OPERATION constant.
NNVK_SHARED_CONST uint kUnaryRelu = 0;
NNVK_SHARED_CONST uint kUnaryRelu1 = 1;
NNVK_SHARED_CONST uint kUnaryRelu6 = 2;
NNVK_SHARED_CONST uint kUnaryLogistic = 3;
NNVK_SHARED_CONST uint kUnaryTanh = 4;
NNVK_SHARED_CONST uint kUnaryHardSwish = 5;
NNVK_SHARED_CONST uint kUnaryAbs = 6;  // ABS and NEG: UnaryInt32 has them too
NNVK_SHARED_CONST uint kUnaryNeg = 7;
NNVK_SHARED_CONST uint kUnaryFloor = 8;
NNVK_SHARED_CONST uint kUnaryExp = 9;
NNVK_SHARED_CONST uint kUnaryLog = 10;
NNVK_SHARED_CONST uint kUnarySin = 11;
NNVK_SHARED_CONST uint kUnarySqrt = 12;
NNVK_SHARED_CONST uint kUnaryRsqrt = 13;
NNVK_SHARED_CONST uint kUnaryElu = 14;
NNVK_SHARED_END

#endif
