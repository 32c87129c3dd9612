// Parameters of elementwise_binary.comp.
#ifndef NNVK_SHADERS_ELEMENTWISE_BINARY_PARAMS_H
#define NNVK_SHADERS_ELEMENTWISE_BINARY_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
struct BinaryParams {
  uint elements;  // of the output
  int lo;  // limits of the result: bits of floats, or integers. In comparisons of 8-bit values: bits of the scales of a (lo) and
           // b (hi)
  int hi;
  int zero_points;  // 8-bit: a's in the low half, b's in the high half, both sign-extended 16-bit
  int out_zero_point;
  int exponents;     // of the three multipliers below, one signed byte each, lowest first
  int mantissas[3];  // ADD, SUB: a, b, result. MUL: result only ([2]). PRELU: positive ([0]), negative ([1])
  // Broadcasting over RANK merged dimensions, innermost first; units are quads, or elements in the general kernels.
  uint dims[7];  // sizes of all but the outermost
  uint a_strides[8];
  uint b_strides[8];
};

// Values of the OPERATION constant.
NNVK_SHARED_CONST uint kBinaryAdd = 0;
NNVK_SHARED_CONST uint kBinarySub = 1;
NNVK_SHARED_CONST uint kBinaryMul = 2;
NNVK_SHARED_CONST uint kBinaryDiv = 3;
NNVK_SHARED_CONST uint kBinaryPrelu = 4;
NNVK_SHARED_CONST uint kBinaryMaximum = 5;
NNVK_SHARED_CONST uint kBinaryMinimum = 6;
NNVK_SHARED_CONST uint kBinaryPow = 7;  // floats only
// The results below are booleans; TYPE is the type of the operands.
NNVK_SHARED_CONST uint kBinaryEqual = 8;
NNVK_SHARED_CONST uint kBinaryNotEqual = 9;
NNVK_SHARED_CONST uint kBinaryGreater = 10;
NNVK_SHARED_CONST uint kBinaryGreaterEqual = 11;
NNVK_SHARED_CONST uint kBinaryLess = 12;
NNVK_SHARED_CONST uint kBinaryLessEqual = 13;
NNVK_SHARED_CONST uint kBinaryLogicalAnd = 14;  // of bytes: integer kernels only
NNVK_SHARED_CONST uint kBinaryLogicalOr = 15;
NNVK_SHARED_END

#endif
