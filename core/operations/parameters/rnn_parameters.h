// Decodes RNN, UNIDIRECTIONAL_SEQUENCE_RNN and BIDIRECTIONAL_SEQUENCE_RNN for all devices: one cell per direction that walks
// through a sequence (RNN: of one step). Pure.
#pragma once

#include "core/operations/operation_definition.h"
#include "core/operations/rules/sequence_layout.h"

namespace nnvk {

// The input numbers of one cell; from the weights on, all operations have them in the same order.
struct RnnCell {
  size_t first = 1;
  constexpr size_t weights() const { return first; }
  constexpr size_t recurrent_weights() const { return first + 1; }
  constexpr size_t bias() const { return first + 2; }
  constexpr size_t state() const { return first + 3; }
};

// Operands outside the cells.
namespace rnn {
enum Input : size_t { kInput = 0, kActivation = 5 };
enum Output : size_t { kNewState, kOutput };
inline constexpr RnnCell kCell{1};
}  // namespace rnn

namespace unidirectional_sequence_rnn {
enum Input : size_t { kInput = 0, kActivation = 5, kTimeMajor };
enum Output : size_t { kOutput, kNewState };
inline constexpr RnnCell kCell{1};
}  // namespace unidirectional_sequence_rnn

namespace bidirectional_sequence_rnn {
enum Input : size_t { kInput = 0, kAuxiliaryInput = 9, kForwardAuxiliaryWeights, kBackwardAuxiliaryWeights };
enum Scalar : size_t { kActivation = 12, kTimeMajor, kMergeOutputs };
enum Output : size_t { kOutput, kBackwardOutput };  // the second only if not merged; the states of both cells follow, if present
inline constexpr RnnCell kForwardCell{1};
inline constexpr RnnCell kBackwardCell{5};
inline constexpr size_t kStates = 2;
}  // namespace bidirectional_sequence_rnn

// One cell, and its direction through the sequence.
struct RnnDirection : SequenceDirection {
  RnnCell cell;
  uint32_t units = 0;
  std::optional<size_t> state_output;  // units of the step computed last
};

struct RnnParameters : SequenceLayout {
  RecurrentActivation activation = RecurrentActivation::kNone;
  std::vector<RnnDirection> directions;
};

// Decodes an operation whose shapes are known and which infer() has accepted. OP_FAILED if a scalar is unknown.
Result<RnnParameters> rnn_parameters(const OperationView& operation);

}  // namespace nnvk
