// Parameters of gather_inputs.comp, and the format of a buffer of gathered inputs. Its first words hold the word at which each
// input begins, see tensor.glsl.
#ifndef NNVK_SHADERS_GATHERED_PARAMS_H
#define NNVK_SHADERS_GATHERED_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
NNVK_SHARED_CONST uint kGatheredHeaderWords = 16;  // the most inputs
NNVK_SHARED_CONST uint kGatheredAtOnce = 3;        // inputs of one dispatch

struct GatherInputsParams {
  uint count;    // units of 16 bytes in all
  uint inputs;   // of this dispatch, 1 to 3
  uint first;    // number of the dispatch's first input among the kernel's inputs
  uint size[3];  // in units of 16 bytes
  uint at[3];    // target positions, in units of 16 bytes
};
NNVK_SHARED_END

#endif
