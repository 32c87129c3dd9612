// Parameters of data_movement.comp and concatenation.comp.
#ifndef NNVK_SHADERS_DATA_MOVEMENT_PARAMS_H
#define NNVK_SHADERS_DATA_MOVEMENT_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
// A strided copy: output element with coordinates c comes from input element offset + sum(c[d] * strides[d]), or is `fill` when a
// coordinate lies outside [begins[d], begins[d] + sizes[d]). Dimensions are innermost first; all units are elements or quads.
struct MoveParams {
  uint units;       // of the output
  int offset;
  int fill;         // raw element
  uint dims[7];     // output sizes of all dimensions but the outermost
  int strides[8];
  uint begins[4];   // only with PADDED, which is limited to four dimensions
  uint sizes[4];
};

// Copies one input of a concatenation. In units of elements or quads, a row is everything from the axis inwards.
struct ConcatenationParams {
  uint units;   // invocations: input units, or output quads in the kernel that merges words
  uint in_row;  // length of the input's rows
  uint out_row;
  uint start;   // where the input's rows begin within the output's rows
  uint rows;
  uint first;   // merging kernel: output quad of the first invocation
};
NNVK_SHARED_END

#endif
