// Parameters of the recurrent layers without gates. Read by C++ and GLSL. States and sums are float32.
#ifndef NNVK_SHADERS_RNN_PARAMS_H
#define NNVK_SHADERS_RNN_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN

// One time step of all batch rows.
struct RnnStepParams {
  uint columns;  // vectors of four units, rounded up
  uint rows;     // batch rows
  uint units;
  uint steps;       // loads of the state per row
  uint sums_first;  // in vectors of in_sums: batch row 0; from one batch row to the next
  uint sums_batch;
  uint sequence_first;  // in elements of out_sequence: batch row 0; from one batch row to the next
  uint sequence_batch;
};

NNVK_SHARED_END

#endif
