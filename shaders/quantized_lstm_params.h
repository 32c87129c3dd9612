// Parameters of QUANTIZED_LSTM and QUANTIZED_16BIT_LSTM. Read by C++ and GLSL. Gates are INT32 tensors [batches, units] of 16-bit
// values in F3 (include/fixed_point_16.glsl).
#ifndef NNVK_SHADERS_QUANTIZED_LSTM_PARAMS_H
#define NNVK_SHADERS_QUANTIZED_LSTM_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN

NNVK_SHARED_CONST uint kQuantizedLstmRowLanes = 64;  // invocations that share a batch row of QuantizedLstmGate

// Adds up the parts of one gate and normalizes them per batch row.
struct QuantizedLstmGateParams {
  uint rows;  // batches
  uint units;
  int peephole_mantissa;
  int peephole_exponent;
  int norm_mantissa;
  int norm_exponent;
};

// Computes the next cell state.
struct QuantizedLstmCellParams {
  uint count;        // batches * units / 4, rounded up
  int integer_bits;  // of the cell state
  int clip;
};

// Computes the hidden state, int8, from the output gate and the cell state.
struct QuantizedLstmHiddenParams {
  uint count;  // batches * units / 4, rounded up
  int integer_bits;
  int mantissa;
  int exponent;
  int zero_point;
};

// Computes one gate of QUANTIZED_16BIT_LSTM.
struct Quantized16bitLstmGateParams {
  uint count;  // batches * units
  uint units;
  uint input_loads;  // loads per row of the input and of the previous output: elements, or vectors of four
  uint state_loads;
  uint begin;  // loads that one dispatch adds up; the last dispatch ends with the last load
  uint end;
  int weight_zero_point;
  int mantissa;
  int exponent;
};

struct Quantized16bitLstmCellParams {
  uint count;  // batches * units / 4, rounded up
};

NNVK_SHARED_END

#endif
