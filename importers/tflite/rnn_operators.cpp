// RNN, RNNs over sequences, and SVDF. NNAPI's operations compute real numbers: quantized weights are dequantized at import, other
// quantized tensors by operations.
#include <array>

#include "importers/tflite/recurrent_parts.h"

namespace nnvk::importers::tflite {
namespace {

Status emit_rnn(Emitter& emitter, const Operator& op) {
  const auto settings = options_or_defaults<ActivationOptions>(op);
  std::vector<uint32_t> inputs;
  TOOLS_TRY(append_real_inputs(emitter, op, inputs, {0, 4}));
  TOOLS_ASSIGN(const State state, emitter.state(op, 4));
  inputs.push_back(state.operand);
  TOOLS_TRY(append(emitter, inputs, {static_cast<int32_t>(settings.activation)}));  // NONE to TANH have NNAPI's numbers
  TOOLS_ASSIGN(const uint32_t new_state, emitter.new_state(state));
  return emit_real_results(emitter, op, ANEURALNETWORKS_RNN, inputs, {.before = {new_state}, .after = {}});
}

Status emit_sequence_rnn(Emitter& emitter, const Operator& op) {
  const auto settings = options_or_defaults<RecurrentOptions>(op);
  std::vector<uint32_t> inputs;
  TOOLS_TRY(append_real_inputs(emitter, op, inputs, {0, 4}));
  TOOLS_ASSIGN(const State state, emitter.state(op, 4));
  inputs.push_back(state.operand);
  TOOLS_TRY(append(emitter, inputs, {static_cast<int32_t>(settings.activation), settings.time_major ? 1 : 0}));
  StateResults states;
  if (state.variable) TOOLS_TRY(append_new_state(emitter, states.after, state));
  return emit_real_results(emitter, op, ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_RNN, inputs, states);
}

Status emit_bidirectional_rnn(Emitter& emitter, const Operator& op) {
  const auto settings = options_or_defaults<RecurrentOptions>(op);
  std::vector<uint32_t> inputs;
  TOOLS_TRY(append_real_inputs(emitter, op, inputs, {0, 4}));
  TOOLS_ASSIGN(const State forward, emitter.state(op, 4));
  inputs.push_back(forward.operand);
  TOOLS_TRY(append_real_inputs(emitter, op, inputs, {5, 8}));
  TOOLS_ASSIGN(const State backward, emitter.state(op, 8));
  inputs.push_back(backward.operand);
  TOOLS_TRY(append_real_inputs(emitter, op, inputs, {9, 12}));
  TOOLS_TRY(append(emitter, inputs, {static_cast<int32_t>(settings.activation)}));
  TOOLS_TRY(append_bools(emitter, inputs, {settings.time_major, settings.merge_outputs}));
  StateResults states;
  if (forward.variable || backward.variable) {
    TOOLS_TRY(append_new_state(emitter, states.after, forward));
    TOOLS_TRY(append_new_state(emitter, states.after, backward));
  }
  return emit_real_results(emitter, op, ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_RNN, inputs, states);
}

Status emit_svdf(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<SvdfOptions>(op));
  std::vector<uint32_t> inputs;
  TOOLS_TRY(append_real_inputs(emitter, op, inputs, {0, 4}));
  TOOLS_ASSIGN(const State state, emitter.state(op, 4));
  inputs.push_back(state.operand);
  TOOLS_TRY(append(emitter, inputs, {settings->rank, static_cast<int32_t>(settings->activation)}));
  TOOLS_ASSIGN(const uint32_t new_state, emitter.new_state(state));
  return emit_real_results(emitter, op, ANEURALNETWORKS_SVDF, inputs, {.before = {new_state}, .after = {}});
}

constexpr auto kRows = std::to_array<Row>({
    {format::BuiltinOperator_RNN, emit_rnn, 5},
    {format::BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_RNN, emit_sequence_rnn, 5},
    {format::BuiltinOperator_BIDIRECTIONAL_SEQUENCE_RNN, emit_bidirectional_rnn, 9, false},
    {format::BuiltinOperator_SVDF, emit_svdf, 3},
});

}  // namespace

std::span<const Row> rnn_operators() { return kRows; }

}  // namespace nnvk::importers::tflite
