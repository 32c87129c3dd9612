// Parameters of the kernels that measure the device's peak speeds.
#ifndef NNVK_SHADERS_CEILINGS_PARAMS_H
#define NNVK_SHADERS_CEILINGS_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
// Work per invocation and iteration: multiply-adds in ceilings_arithmetic.comp, texels read in ceilings_read.comp.
NNVK_SHARED_CONST uint kCeilingsMultiplyAdds = 64;
NNVK_SHARED_CONST uint kCeilingsReads = 16;

struct CeilingsParams {
  uint iterations;
  uint invocations;
  uint texels;       // a power of two; CeilingsRead only
  float multiplier;  // a parameter, so that the compiler cannot compute results in advance
  float addend;
};
NNVK_SHARED_END

#endif
