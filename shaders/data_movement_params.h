// Parameters of data_movement.comp, move_by_table.comp, fill.comp and concatenation.comp.
#ifndef NNVK_SHADERS_DATA_MOVEMENT_PARAMS_H
#define NNVK_SHADERS_DATA_MOVEMENT_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
// A strided copy: output element with coordinates c is input element offset + sum(c[d] * strides[d]). It is `fill` if a
// coordinate is outside [begins[d], begins[d] + sizes[d]). Dimensions are innermost first; all units are elements or quads.
struct MoveParams {
  uint units;  // of the output
  int offset;
  int fill;      // raw element
  uint dims[7];  // output sizes of all dimensions but the outermost
  int strides[8];
  uint begins[4];  // only with PADDED, for which kernels take at most four dimensions
  uint sizes[4];
};

// A move with a table of dimensions. Per dimension: size of the output, and the stride, begin and size of MoveParams, then the
// border.
struct TableMoveParams {
  uint units;  // elements of the output
  int offset;  // the input element for coordinates (begin, begin, ...)
  int fill;    // raw element, for kBorderFill
  uint rank;
};
NNVK_SHARED_CONST uint kMoveTableWords = 5;
// The border of the input along a dimension: `fill`, or the input's mirror image, without or with the element at the edge.
NNVK_SHARED_CONST int kBorderFill = 0;
NNVK_SHARED_CONST int kBorderReflect = 1;
NNVK_SHARED_CONST int kBorderSymmetric = 2;

struct FillParams {
  uint blocks;  // of 16 bytes
  uint word;
};

// Copies at most this many neighbouring inputs of a concatenation: with the output, all storage buffers that every device has.
NNVK_SHARED_CONST uint kConcatenationInputs = 3;
// In units of elements or quads. A row covers the axis and all inner dimensions.
struct ConcatenationParams {
  uint counts[3];   // units of the inputs
  uint in_rows[3];  // length of their rows
  uint starts[3];   // start of the inputs' rows within the output's rows
  uint out_row;
  uint rows;
  uint first;  // merging kernel: output quad of the first invocation
  uint units;  // merging kernel: output quads
};
NNVK_SHARED_END

#endif
