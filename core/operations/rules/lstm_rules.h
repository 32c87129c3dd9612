// Rules that all LSTM operations share: which operands come together, and the shapes of the weights.
#pragma once

#include "core/operations/operation_definition.h"
#include "core/operations/rules/lstm_cell.h"
#include "core/operations/rules/operand_expectations.h"

namespace nnvk {

// The sizes of a cell, or kUnknownDimension.
struct LstmSizes {
  uint32_t units = 0;
  uint32_t output_size = 0;
  // kOmitted: CIFG, which couples the input gate to the forget gate, so that the input gate has no operands.
  Presence input_gate = Presence::kGiven;
};

// Returns the sizes of a cell with this batch and input size, after it has checked presence and shapes of all operands. Error:
// OP_FAILED.
Result<LstmSizes> check_lstm_cell(const OperationView& operation, const LstmCell& cell, uint32_t batch, uint32_t input_size);

// Returns the mask of optional inputs (OperationDefinition::optional_inputs) of a cell.
constexpr uint32_t optional_inputs(const LstmCell& cell) {
  uint32_t mask = 0;
  for (const size_t i :
       {cell.input_weights(kLstmInputGate), cell.recurrent_weights(kLstmInputGate), cell.peephole(kLstmInputGate),
        cell.peephole(kLstmForgetGate), cell.peephole(kLstmOutputGate), cell.bias(kLstmInputGate), cell.projection_weights(),
        cell.projection_bias(), cell.layer_norm(kLstmInputGate), cell.layer_norm(kLstmForgetGate), cell.layer_norm(kLstmCellGate),
        cell.layer_norm(kLstmOutputGate)}) {
    mask |= input_bit(i);
  }
  return mask;
}

// Accepts codes 0..4 and 6 (none, relu, relu1, relu6, tanh, sigmoid) and an unknown value. Error: OP_FAILED.
Status check_recurrent_activation(const OperationView& operation, size_t i);

}  // namespace nnvk
