// Parameters of the LSTM kernels. A vec4 holds the gates (input, forget, cell, output). A packed matrix is blocks of kLstmBlock
// columns, each [depth][kLstmBlock] vec4. The four lanes are the gates of a unit or, for projections, four neighbouring outputs.
// State and all other intermediate values are float32.
#ifndef NNVK_SHADERS_LSTM_PARAMS_H
#define NNVK_SHADERS_LSTM_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
// The start values of products' sums.
NNVK_SHARED_CONST uint kLstmStartZero = 0;
NNVK_SHARED_CONST uint kLstmStartBias = 1;    // a vec4 per column
NNVK_SHARED_CONST uint kLstmStartResult = 2;  // another product's result for the row and column

NNVK_SHARED_CONST uint kLstmGroupSize = 64;
// Columns that lie side by side in packed weights: whole cache lines for GPUs, one run of memory per vector for software Vulkan.
NNVK_SHARED_CONST uint kLstmBlock = 8;

// Invocations of LstmSequence and of LstmSequenceSubgroup, and units that their shared memory holds.
NNVK_SHARED_CONST uint kLstmSequenceGroup = 128;
NNVK_SHARED_CONST uint kLstmSequenceLanes = 8;
NNVK_SHARED_CONST uint kLstmSequenceUnits = 512;

// Packs [rows][depth] matrices of up to four sources. Lane l of column u is row u * row_step + l * lane_step of source l.
struct LstmPackParams {
  uint count;  // depth * columns, these rounded up to whole blocks
  uint depth;
  uint rows;  // of every source; further rows are 0
  uint row_step;
  uint lane_step;
  uint lanes;  // bit l: source l exists, else the lane is 0
};

// Products of `rows` rows of x with packed weights. A load reads one element or four, see lstm_product.glsl. Long sums are cut
// into several dispatches, each over the loads [first, first + steps) of a row.
struct LstmProductParams {
  uint columns;  // of the weights
  uint rows;
  uint batch;      // rows per time step
  uint row_loads;  // loads of a whole row
  uint first;
  uint steps;
  uint x_first;  // in loads: start of row 0; from one time step to the next; from one batch row to the next
  uint x_time;
  uint x_batch;
  uint out_first;  // row of the result tensor for row 0
  uint start;
};

// The cell of one time step.
struct LstmStepParams {
  uint columns;    // units
  uint rows;       // batch rows
  uint row_loads;  // loads of the output state per row (LstmStep); this dispatch uses [first, first + steps)
  uint first;
  uint steps;
  uint gates_first;     // row of the gates tensor for batch row 0
  uint to_sequence;     // also writes results to out_sequence
  uint sequence_first;  // element of out_sequence for batch row 0; elements between batch rows
  uint sequence_batch;
  float cell_clip;  // <= 0: off
};

// Time steps of cells without projection (LstmSequence). Batch row r of step s has its gates at row gates_first + s * gates_step
// + r. Its results begin at element sequence_first + s * sequence_step + r * sequence_batch. Steps are modulo 2^32, because
// sequences may also run backward.
struct LstmSequenceParams {
  uint columns;  // units, at most kLstmSequenceUnits
  uint rows;     // batch rows, a work group each
  uint steps;
  uint gates_first;
  uint gates_step;
  uint sequence_first;
  uint sequence_step;
  uint sequence_batch;
  float cell_clip;  // <= 0: off
};

// Projection of one time step.
struct LstmProjectionParams {
  uint columns;    // ceil(outputs / 4)
  uint rows;       // batch rows
  uint row_loads;  // loads of in_x per row; this dispatch uses [first, first + steps)
  uint first;
  uint steps;
  uint outputs;
  uint sequence_first;
  uint sequence_batch;
  uint start;
  float clip;  // <= 0: off
};

// Parameters of LstmJoin. It puts the rows of two float32 tensors side by side and converts them to the operation's type. Columns
// from width_a + width_b up to `width` are 0.
struct LstmJoinParams {
  uint quads;  // elements of the result / 4, rounded up
  uint count;  // elements of the result
  uint width;  // columns of the result
  uint width_a;
  uint width_b;
};
NNVK_SHARED_END

#endif
