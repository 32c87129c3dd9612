// An LSTM operation decoded once for all devices: which operands each direction reads and writes, its sizes and its options.
// LSTM is a sequence of one step, UNIDIRECTIONAL_SEQUENCE_LSTM has one direction, BIDIRECTIONAL_SEQUENCE_LSTM two. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/operations/parameters/recurrent_activation.h"
#include "core/operations/rules/lstm_rules.h"

namespace nnvk {

// One cell and the way it walks through the sequence. Operands are input and output numbers of the operation.
struct LstmDirection {
  LstmCell cell;
  bool backward = false;  // from the last time step to the first
  // What the cell reads at every step.
  size_t input = 0;
  uint32_t input_size = 0;
  // Cross linking: a second input and its {input,forget,cell,output} weights, from `auxiliary_weights` on.
  std::optional<size_t> auxiliary;
  size_t auxiliary_weights = 0;

  uint32_t units = 0;
  uint32_t output_size = 0;
  bool coupled = false;  // CIFG: no input gate operands, i = 1 - f
  bool peephole = false;
  bool layer_norm = false;  // biases are added behind the normalization
  bool projection = false;
  bool projection_bias = false;

  // Results of all steps: columns [output_column, output_column + output_size) of this output, at the time of their step.
  size_t output = 0;
  uint32_t output_column = 0;
  // State after the last step, where the operation tells it.
  std::optional<size_t> output_state;
  std::optional<size_t> cell_state;
};

struct LstmParameters {
  uint32_t steps = 1;
  uint32_t batch = 0;
  bool time_major = true;  // sequences are [steps, batch, size], else [batch, steps, size]
  RecurrentActivation activation = RecurrentActivation::kTanh;
  // Bounds of the cell state and of projected outputs. Off unless greater than 0 (NaN: off).
  float cell_clip = 0.0F;
  float projection_clip = 0.0F;
  std::optional<size_t> scratch;  // LSTM: an output whose contents mean nothing
  std::vector<LstmDirection> directions;

  // Rows of a sequence between neighbours in time / between batch rows.
  uint32_t time_stride() const { return time_major ? batch : 1; }
  uint32_t batch_stride() const { return time_major ? 1 : steps; }
};

// Decodes LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM or BIDIRECTIONAL_SEQUENCE_LSTM with all shapes and scalars known; infer() of the
// operation has passed. Modes follow the specification: CIFG when the input-to-input weights are omitted, peepholes when the
// cell-to-output weights are given, layer normalization when the output gate's weights are given, projection likewise.
// Error: OP_FAILED when a scalar is unknown.
Result<LstmParameters> lstm_parameters(const OperationView& operation);

}  // namespace nnvk
