// Decodes recurrent layers without gates, by the specification's "numerics" and "shape_rule".
#include "core/operations/parameters/rnn_parameters.h"

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/scalar_parameters.h"

namespace nnvk {
namespace {

// Reads the scalars. `time_major`: nothing if the input is a single step.
Result<RnnParameters> read_scalars(const OperationView& operation, size_t activation, std::optional<bool> time_major) {
  RnnParameters p;
  static_cast<SequenceLayout&>(p) = sequence_layout(operation, time_major);
  NNVK_ASSIGN(const int32_t code, int_parameter(operation, activation));
  p.activation = static_cast<RecurrentActivation>(code);
  return p;
}

RnnDirection make_direction(const OperationView& operation, RnnCell cell) {
  RnnDirection d;
  d.cell = cell;
  d.units = operation.shape(cell.weights())[0];
  d.input_size = operation.shape(cell.weights())[1];
  return d;
}

Result<RnnParameters> single_step_rnn(const OperationView& operation) {
  using namespace rnn;
  NNVK_ASSIGN(RnnParameters p, read_scalars(operation, kActivation, std::nullopt));
  RnnDirection d = make_direction(operation, kCell);
  d.output = kOutput;
  d.state_output = kNewState;
  p.directions = {d};
  return p;
}

Result<RnnParameters> unidirectional_rnn(const OperationView& operation) {
  using namespace unidirectional_sequence_rnn;
  NNVK_ASSIGN(const int32_t time_major, int_parameter(operation, kTimeMajor));
  NNVK_ASSIGN(RnnParameters p, read_scalars(operation, kActivation, time_major != 0));
  RnnDirection d = make_direction(operation, kCell);
  if (operation.outputs.size() > 1) d.state_output = kNewState;
  p.directions = {d};
  return p;
}

Result<RnnParameters> bidirectional_rnn(const OperationView& operation) {
  using namespace bidirectional_sequence_rnn;
  NNVK_ASSIGN(const bool time_major, flag_parameter(operation, kTimeMajor));
  NNVK_ASSIGN(RnnParameters p, read_scalars(operation, kActivation, time_major));
  RnnDirection forward = make_direction(operation, kForwardCell);
  RnnDirection backward = make_direction(operation, kBackwardCell);
  const BidirectionalOperands operands{.auxiliary = kAuxiliaryInput,
                                       .forward_weights = kForwardAuxiliaryWeights,
                                       .backward_weights = kBackwardAuxiliaryWeights,
                                       .telling_weights = kForwardAuxiliaryWeights,
                                       .backward_output = kBackwardOutput,
                                       .states = kStates};
  if (const auto state = join_directions(operation, operands, forward.units, forward, backward)) {
    forward.state_output = *state;
    backward.state_output = *state + 1;
  }
  p.directions = {forward, backward};
  return p;
}

}  // namespace

Result<RnnParameters> rnn_parameters(const OperationView& operation) {
  if (operation.code == OperationCode::kRnn) return single_step_rnn(operation);
  if (operation.code == OperationCode::kUnidirectionalSequenceRnn) return unidirectional_rnn(operation);
  return bidirectional_rnn(operation);
}

}  // namespace nnvk
