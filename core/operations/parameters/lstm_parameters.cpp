// Decodes the LSTM operations.
#include "core/operations/parameters/lstm_parameters.h"

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/scalar_parameters.h"

namespace nnvk {
namespace {

// Reads the scalars. `activation`: the operand in front of the bounds of cell state and projection. `time_major`: nothing if the
// input is one step.
Result<LstmParameters> read_scalars(const OperationView& operation, size_t activation, std::optional<bool> time_major) {
  LstmParameters p;
  static_cast<SequenceLayout&>(p) = sequence_layout(operation, time_major);
  NNVK_ASSIGN(const int32_t code, int_parameter(operation, activation));
  NNVK_ASSIGN(p.cell_clip, float_parameter(operation, activation + 1));
  NNVK_ASSIGN(p.projection_clip, float_parameter(operation, activation + 2));
  p.activation = static_cast<RecurrentActivation>(code);
  return p;
}

// Returns the cell's sizes and options.
LstmDirection make_direction(const OperationView& operation, const LstmCell& cell) {
  const Shape& input_weights = operation.shape(cell.input_weights(kLstmOutputGate));
  LstmDirection d;
  d.cell = cell;
  d.input_size = input_weights[1];
  d.units = input_weights[0];
  d.output_size = operation.shape(cell.recurrent_weights(kLstmOutputGate))[1];
  d.coupled = !operation.has(cell.input_weights(kLstmInputGate));
  d.peephole = operation.has(cell.peephole(kLstmOutputGate));
  d.layer_norm = operation.has(cell.layer_norm(kLstmOutputGate));
  d.projection = operation.has(cell.projection_weights());
  d.projection_bias = d.projection && operation.has(cell.projection_bias());
  return d;
}

Result<LstmParameters> single_step_lstm(const OperationView& operation) {
  using namespace lstm;
  NNVK_ASSIGN(LstmParameters p, read_scalars(operation, kActivation, std::nullopt));
  p.scratch = kScratch;
  LstmDirection d = make_direction(operation, kCell);
  d.output_state = kNewOutputState;
  d.cell_state = kNewCellState;
  d.output = kOutput;
  p.directions = {d};
  return p;
}

Result<LstmParameters> unidirectional_lstm(const OperationView& operation) {
  using namespace unidirectional_sequence_lstm;
  NNVK_ASSIGN(const bool time_major, flag_parameter(operation, kTimeMajor));
  NNVK_ASSIGN(LstmParameters p, read_scalars(operation, kActivation, time_major));
  LstmDirection d = make_direction(operation, kCell);
  if (operation.outputs.size() > 1) {
    d.output_state = kNewOutputState;
    d.cell_state = kNewCellState;
  }
  p.directions = {d};
  return p;
}

Result<LstmParameters> bidirectional_lstm(const OperationView& operation) {
  using namespace bidirectional_sequence_lstm;
  NNVK_ASSIGN(const bool time_major, flag_parameter(operation, kTimeMajor));
  NNVK_ASSIGN(LstmParameters p, read_scalars(operation, kActivation, time_major));
  LstmDirection forward = make_direction(operation, kForwardCell);
  LstmDirection backward = make_direction(operation, kBackwardCell);
  const BidirectionalOperands operands{.auxiliary = kAuxiliaryInput,
                                       .forward_weights = kForwardAuxiliaryWeights,
                                       .backward_weights = kBackwardAuxiliaryWeights,
                                       .telling_weights = kForwardAuxiliaryWeights + kLstmOutputGate,
                                       .backward_output = kBackwardOutput,
                                       .states = kStates};
  if (auto state = join_directions(operation, operands, forward.output_size, forward, backward)) {
    for (LstmDirection* d : {&forward, &backward}) {
      d->output_state = (*state)++;
      d->cell_state = (*state)++;
    }
  }
  p.directions = {forward, backward};
  return p;
}

}  // namespace

Result<LstmParameters> lstm_parameters(const OperationView& operation) {
  if (operation.code == OperationCode::kLstm) return single_step_lstm(operation);
  if (operation.code == OperationCode::kUnidirectionalSequenceLstm) return unidirectional_lstm(operation);
  return bidirectional_lstm(operation);
}

}  // namespace nnvk
