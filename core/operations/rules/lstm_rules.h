// The rules that all LSTM operations share: which operands come together, and the shapes of the weights.
#pragma once

#include "core/base/result.h"
#include "core/operations/operation_definition.h"
#include "core/operations/rules/operand_expectations.h"

namespace nnvk {

// Where one LSTM cell finds its operands. From `weights` on, all operations have the same order:
// +0..3 input-to-{input,forget,cell,output}, +4..7 recurrent-to-{...}, +8..10 cell-to-{input,forget,output} (peepholes),
// +11..14 {input,forget,cell,output} gate biases, +15 projection weights, +16 projection bias.
struct LstmCell {
  size_t weights = 1;
  size_t layer_norm = 0;  // first of {input,forget,cell,output} layer-norm weights
  size_t state = 18;      // output state, then cell state
  bool operator==(const LstmCell&) const = default;
};
inline constexpr LstmCell kSingleStepCell{.weights = 1, .layer_norm = 23, .state = 18};      // LSTM
inline constexpr LstmCell kUnidirectionalCell{.weights = 1, .layer_norm = 24, .state = 18};  // UNIDIRECTIONAL_SEQUENCE_LSTM
inline constexpr LstmCell kForwardCell{.weights = 1, .layer_norm = 53, .state = 35};         // BIDIRECTIONAL_SEQUENCE_LSTM
inline constexpr LstmCell kBackwardCell{.weights = 18, .layer_norm = 57, .state = 37};
// BIDIRECTIONAL_SEQUENCE_LSTM: auxiliary input; then {input,forget,cell,output} auxiliary weights of the forward cell, then of
// the backward cell.
inline constexpr size_t kLstmAuxiliaryInput = 39;

// Sizes of a cell; kUnknownDimension while unknown.
struct LstmSizes {
  uint32_t units = 0;
  uint32_t output_size = 0;
  // kOmitted: CIFG, the input gate is coupled to the forget gate and has no operands.
  Presence input_gate = Presence::kGiven;
};

// Checks presence and shapes of all operands of a cell with this batch and input size. Error: OP_FAILED.
Result<LstmSizes> check_lstm_cell(const OperationView& operation, const LstmCell& cell, uint32_t batch, uint32_t input_size);

// Codes 0..4 and 6: none, relu, relu1, relu6, tanh, sigmoid. Unknown passes. Error: OP_FAILED.
Status check_recurrent_activation(const OperationView& operation, size_t i);

}  // namespace nnvk
