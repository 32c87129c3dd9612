// Decodes the LSTM operations.
#include "core/operations/parameters/lstm_parameters.h"

#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

// Scalars behind the state operands.
constexpr size_t kActivation = 20;
constexpr size_t kUnidirectionalTimeMajor = 23;
constexpr size_t kBidirectionalActivation = 48;
constexpr size_t kBidirectionalTimeMajor = 52;

tl::unexpected<Error> unknown_scalar(size_t i) { return fail(Code::kOpFailed, input_name(i) + ": its value is not known"); }

Result<bool> flag(const OperationView& operation, size_t i) {
  const auto value = operation.scalar<uint8_t>(i);
  if (!value) return unknown_scalar(i);
  return *value != 0;
}

// Activation, then the bounds of cell state and projection.
Status read_scalars(const OperationView& operation, size_t first, LstmParameters& p) {
  const auto activation = operation.scalar<int32_t>(first);
  const auto cell_clip = float_scalar(operation, first + 1);
  const auto projection_clip = float_scalar(operation, first + 2);
  if (!activation) return unknown_scalar(first);
  if (!cell_clip) return unknown_scalar(first + 1);
  if (!projection_clip) return unknown_scalar(first + 2);
  p.activation = static_cast<RecurrentActivation>(*activation);
  p.cell_clip = *cell_clip;
  p.projection_clip = *projection_clip;
  return {};
}

void read_sequence(const OperationView& operation, bool time_major, LstmParameters& p) {
  p.time_major = time_major;
  p.steps = operation.shape(0)[time_major ? 0 : 1];
  p.batch = operation.shape(0)[time_major ? 1 : 0];
}

// The cell's sizes and options, reading `input`.
LstmDirection make_direction(const OperationView& operation, const LstmCell& cell, size_t input) {
  LstmDirection d;
  d.cell = cell;
  d.input = input;
  d.input_size = operation.shape(cell.weights + 3)[1];
  d.units = operation.shape(cell.weights + 3)[0];
  d.output_size = operation.shape(cell.weights + 7)[1];
  d.coupled = !operation.has(cell.weights);
  d.peephole = operation.has(cell.weights + 10);
  d.layer_norm = operation.has(cell.layer_norm + 3);
  d.projection = operation.has(cell.weights + 15);
  d.projection_bias = d.projection && operation.has(cell.weights + 16);
  return d;
}

Result<LstmParameters> single_step(const OperationView& operation) {
  LstmParameters p;
  NNVK_TRY(read_scalars(operation, kActivation, p));
  p.batch = operation.shape(0)[0];
  p.scratch = 0;
  LstmDirection d = make_direction(operation, kSingleStepCell, 0);
  d.output_state = 1;
  d.cell_state = 2;
  d.output = 3;
  p.directions = {d};
  return p;
}

Result<LstmParameters> unidirectional(const OperationView& operation) {
  LstmParameters p;
  NNVK_TRY(read_scalars(operation, kActivation, p));
  NNVK_ASSIGN(const bool time_major, flag(operation, kUnidirectionalTimeMajor));
  read_sequence(operation, time_major, p);
  LstmDirection d = make_direction(operation, kUnidirectionalCell, 0);
  if (operation.outputs.size() > 1) {
    d.output_state = 1;
    d.cell_state = 2;
  }
  p.directions = {d};
  return p;
}

Result<LstmParameters> bidirectional(const OperationView& operation) {
  LstmParameters p;
  NNVK_TRY(read_scalars(operation, kBidirectionalActivation, p));
  NNVK_ASSIGN(const bool time_major, flag(operation, kBidirectionalTimeMajor));
  read_sequence(operation, time_major, p);
  // Auxiliary weights decide whether the auxiliary input comes beside input 0 or replaces it for the backward cell.
  const bool auxiliary = operation.has(kLstmAuxiliaryInput);
  const bool cross = auxiliary && operation.has(kLstmAuxiliaryInput + 2);
  LstmDirection forward = make_direction(operation, kForwardCell, 0);
  LstmDirection backward = make_direction(operation, kBackwardCell, auxiliary && !cross ? kLstmAuxiliaryInput : 0);
  backward.backward = true;
  if (cross) {
    forward.auxiliary = backward.auxiliary = kLstmAuxiliaryInput;
    forward.auxiliary_weights = kLstmAuxiliaryInput + 1;
    backward.auxiliary_weights = kLstmAuxiliaryInput + 5;
  }
  // Outputs: one merged or two, then perhaps four states.
  const size_t count = operation.outputs.size();
  const bool merged = count == 1 || count == 5;
  if (merged) {
    backward.output_column = forward.output_size;
  } else {
    backward.output = 1;
  }
  if (count > 2) {
    const size_t first = merged ? 1 : 2;
    forward.output_state = first;
    forward.cell_state = first + 1;
    backward.output_state = first + 2;
    backward.cell_state = first + 3;
  }
  p.directions = {forward, backward};
  return p;
}

}  // namespace

Result<LstmParameters> lstm_parameters(const OperationView& operation) {
  switch (operation.code) {
    case OperationCode::kLstm:
      return single_step(operation);
    case OperationCode::kUnidirectionalSequenceLstm:
      return unidirectional(operation);
    default:
      return bidirectional(operation);
  }
}

}  // namespace nnvk
