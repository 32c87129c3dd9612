// Parameters of cast_quantize.comp.
#ifndef NNVK_SHADERS_CAST_QUANTIZE_PARAMS_H
#define NNVK_SHADERS_CAST_QUANTIZE_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
struct CastParams {
  uint elements;   // copy_blocks.comp: blocks of 16 bytes
  float scale;     // QUANTIZE: of the output; DEQUANTIZE: of the input; 1 for CAST
  int zero_point;  // of the same tensor; 0 for CAST
  uint channels;   // per-channel DEQUANTIZE: length of the channel dimension
  uint inner;      // per-channel DEQUANTIZE: elements between neighbours along the channel dimension
};
NNVK_SHARED_END

#endif
