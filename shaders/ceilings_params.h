// Parameters of the kernels that measure the device's peak speeds.
#ifndef NNVK_SHADERS_CEILINGS_PARAMS_H
#define NNVK_SHADERS_CEILINGS_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
// Multiply-adds per invocation and iteration of ceilings_arithmetic.comp, and texels read by one of ceilings_read.comp.
NNVK_SHARED_CONST uint kCeilingsMultiplyAdds = 64;
NNVK_SHARED_CONST uint kCeilingsReads = 16;

struct CeilingsParams {
  uint iterations;
  uint invocations;
  uint texels;       // a power of two; CeilingsRead only
  float multiplier;  // unknown to the compiler, so that it cannot fold anything
  float addend;
};
NNVK_SHARED_END

#endif
