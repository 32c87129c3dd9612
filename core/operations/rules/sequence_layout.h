// The layout of input 0 of layers over sequences, and the meaning of their number of outputs, for the decoders. Pure.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

inline constexpr size_t kSequenceInput = 0;  // of every LSTM and RNN; operations without a sequence compute one step

// The values of the activation operand of LSTMs and RNNs; check_recurrent_activation() accepts only these.
enum class RecurrentActivation : int32_t { kNone = 0, kRelu = 1, kRelu1 = 2, kRelu6 = 3, kTanh = 4, kSigmoid = 6 };

// The layout of a sequence: [steps, batch, size] if time-major, else [batch, steps, size].
struct SequenceLayout {
  uint32_t steps = 1;
  uint32_t batch = 0;
  bool time_major = true;

  // Returns the distance of neighbours in time or in the batch, in rows of a sequence.
  uint32_t time_stride() const { return time_major ? batch : 1; }
  uint32_t batch_stride() const { return time_major ? 1 : steps; }
  // Returns the row of a step and a batch row, in [0, steps * batch).
  size_t row(uint32_t step, uint32_t batch_row) const {
    return size_t{step} * time_stride() + size_t{batch_row} * batch_stride();
  }
};

// Returns the layout of input 0, whose shape is known. `time_major` is nullopt for a single step, whose input is [batch, size].
inline SequenceLayout sequence_layout(const OperationView& operation, std::optional<bool> time_major) {
  const Shape& shape = operation.shape(kSequenceInput);
  if (!time_major) return {.batch = shape[0]};
  return {.steps = shape[*time_major ? 0 : 1], .batch = shape[*time_major ? 1 : 0], .time_major = *time_major};
}

// Returns true if a bidirectional operation merges its outputs: it then has one output, not two, and behind it all `states` state
// outputs or none.
inline bool outputs_are_merged(size_t outputs, size_t states) { return outputs == 1 || outputs == 1 + states; }

// How a cell reads the sequence. Operands are given as input and output numbers of the operation.
struct SequenceDirection {
  bool backward = false;          // from the last time step to the first
  size_t input = kSequenceInput;  // the cell's input: the sequence, or the auxiliary one (parallel linking)
  uint32_t input_size = 0;
  std::optional<size_t> auxiliary;  // cross linking: a second sequence, with weights from `auxiliary_weights` on
  size_t auxiliary_weights = 0;
  uint32_t auxiliary_size = 0;
  size_t output = 0;           // results of all steps go here ...
  uint32_t output_column = 0;  // ... from this column on
};

// The operands of a bidirectional operation outside its cells.
struct BidirectionalOperands {
  // The auxiliary sequence. The auxiliary weights are present if the input `telling_weights` is.
  size_t auxiliary, forward_weights, backward_weights, telling_weights;
  size_t backward_output;  // the backward results, unless they are merged
  size_t states;           // how many state outputs the operation may have
};
// Sets the backward direction of a bidirectional operation, the auxiliary sequence of both, and the place of the backward
// results. With auxiliary weights, the auxiliary sequence is a second input of both cells; without them, it replaces the input of
// the backward cell. Merged results follow the forward columns. Returns the number of the first state output, if there is one.
inline std::optional<size_t> join_directions(const OperationView& operation, const BidirectionalOperands& at,
                                             uint32_t forward_columns, SequenceDirection& forward, SequenceDirection& backward) {
  backward.backward = true;
  if (operation.has(at.auxiliary) && !operation.has(at.telling_weights)) {
    backward.input = at.auxiliary;
  } else if (operation.has(at.auxiliary)) {
    forward.auxiliary = backward.auxiliary = at.auxiliary;
    forward.auxiliary_size = backward.auxiliary_size = operation.shape(at.auxiliary)[2];
    forward.auxiliary_weights = at.forward_weights;
    backward.auxiliary_weights = at.backward_weights;
  }
  const size_t outputs = operation.outputs.size();
  if (outputs_are_merged(outputs, at.states)) {
    backward.output_column = forward_columns;
  } else {
    backward.output = at.backward_output;
  }
  return outputs > at.states ? std::optional(outputs - at.states) : std::nullopt;
}

}  // namespace nnvk
