// Parameters of gather.comp and find_keys.comp.
#ifndef NNVK_SHADERS_LOOKUP_PARAMS_H
#define NNVK_SHADERS_LOOKUP_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
// Output [outer, count, inner] from input [outer, size, inner]; units are elements or quads.
struct GatherParams {
  uint units;  // of the output
  uint inner;  // units of a slice
  uint size;   // slices along the axis of the input
  uint count;  // indices
};

struct FindKeysParams {
  uint lookups;
  uint keys;
};
NNVK_SHARED_END

#endif
