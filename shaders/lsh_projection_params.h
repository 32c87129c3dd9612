// Parameters of lsh_projection.comp.
#ifndef NNVK_SHADERS_LSH_PROJECTION_PARAMS_H
#define NNVK_SHADERS_LSH_PROJECTION_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
struct LshParams {
  uint results;
  uint bits;   // seeds, and bits of the signature, per result; 1 for the dense projection
  uint step;   // result i adds i times this to its signature
  uint begin;  // the input rows that one dispatch adds to the scores
  uint end;
  uint row_bytes;
  uint last_word;  // of the input
};
NNVK_SHARED_END

#endif
