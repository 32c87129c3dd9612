// Parameters of elementwise_binary.comp.
#ifndef NNVK_SHADERS_ELEMENTWISE_BINARY_PARAMS_H
#define NNVK_SHADERS_ELEMENTWISE_BINARY_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
struct BinaryParams {
  uint elements;       // of the output
  int lo;              // result limits: bits of floats, or integers
  int hi;
  int zero_points;     // 8-bit: a's in the low half, b's in the high half, both sign-extended 16-bit
  int out_zero_point;
  int exponents;       // of the three multipliers below, one signed byte each, lowest first
  int mantissas[3];    // ADD, SUB: a, b, result. MUL: result only ([2]). PRELU: positive ([0]), negative ([1])
  // Broadcasting over RANK merged dimensions, innermost first; units are quads, or elements in the general kernels.
  uint dims[7];        // sizes of all but the outermost
  uint a_strides[8];
  uint b_strides[8];
};

// Values of the OPERATION constant.
NNVK_SHARED_CONST uint kBinaryAdd = 0;
NNVK_SHARED_CONST uint kBinarySub = 1;
NNVK_SHARED_CONST uint kBinaryMul = 2;
NNVK_SHARED_CONST uint kBinaryDiv = 3;
NNVK_SHARED_CONST uint kBinaryPrelu = 4;
NNVK_SHARED_END

#endif
