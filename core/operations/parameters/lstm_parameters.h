// Decodes an LSTM operation for all devices: the operands that each direction reads and writes, sizes and options. LSTM is a
// sequence of one step, UNIDIRECTIONAL_SEQUENCE_LSTM has one direction, BIDIRECTIONAL_SEQUENCE_LSTM two. Pure.
#pragma once

#include "core/operations/rules/lstm_cell.h"
#include "core/operations/rules/sequence_layout.h"

namespace nnvk {

// Operands outside the cells.
namespace lstm {
enum Input : size_t { kInput = 0, kActivation = 20, kCellClip, kProjectionClip };
enum Output : size_t { kScratch, kNewOutputState, kNewCellState, kOutput };
inline constexpr LstmCell kCell{.weights = 1, .norm = 23, .state = 18};
}  // namespace lstm

namespace unidirectional_sequence_lstm {
enum Input : size_t { kInput = 0, kActivation = 20, kCellClip, kProjectionClip, kTimeMajor };
enum Output : size_t { kOutput, kNewOutputState, kNewCellState };
inline constexpr LstmCell kCell{.weights = 1, .norm = 24, .state = 18};
}  // namespace unidirectional_sequence_lstm

namespace bidirectional_sequence_lstm {
enum Input : size_t { kInput = 0, kAuxiliaryInput = 39, kForwardAuxiliaryWeights = 40, kBackwardAuxiliaryWeights = 44 };
enum Scalar : size_t { kActivation = 48, kCellClip, kProjectionClip, kMergeOutputs, kTimeMajor };
enum Output : size_t { kOutput, kBackwardOutput };  // the second only if not merged; the states of both cells follow, if present
inline constexpr LstmCell kForwardCell{.weights = 1, .norm = 53, .state = 35};
inline constexpr LstmCell kBackwardCell{.weights = 18, .norm = 57, .state = 37};
inline constexpr size_t kStates = 4;
}  // namespace bidirectional_sequence_lstm

// One cell, and its direction through the sequence.
struct LstmDirection : SequenceDirection {
  LstmCell cell;
  uint32_t units = 0;
  uint32_t output_size = 0;
  bool coupled = false;  // CIFG: no input gate operands, i = 1 - f
  bool peephole = false;
  bool layer_norm = false;  // biases are added behind the normalization
  bool projection = false;
  bool projection_bias = false;

  // The output numbers of the state after the last step, if the operation has these outputs.
  std::optional<size_t> output_state;
  std::optional<size_t> cell_state;
};

struct LstmParameters : SequenceLayout {
  RecurrentActivation activation = RecurrentActivation::kTanh;
  // The bounds of the cell state and of projected outputs; 0, negative or NaN: no bound.
  float cell_clip = 0.0F;
  float projection_clip = 0.0F;
  std::optional<size_t> scratch;  // LSTM: an output with meaningless contents
  std::vector<LstmDirection> directions;
};

// Decodes LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM or BIDIRECTIONAL_SEQUENCE_LSTM; requires known shapes that infer() has accepted.
// Modes follow the specification: CIFG if the input-to-input weights are omitted, peepholes if the cell-to-output weights are
// given; likewise layer normalization (the output gate's weights) and projection. OP_FAILED if a scalar is unknown.
Result<LstmParameters> lstm_parameters(const OperationView& operation);

}  // namespace nnvk
