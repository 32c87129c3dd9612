// LSTMs, of one step and over sequences. NNAPI's operations compute real numbers: quantized weights are dequantized at import,
// other quantized tensors by operations.
#include <fmt/format.h>

#include "importers/tflite/recurrent_parts.h"

namespace nnvk::importers::tflite {
namespace {

// Positions of inputs in the file's operators. Weights, biases and states have the same order in NNAPI.
constexpr size_t kFirstState = 18;  // output state, cell state
constexpr size_t kFirstNorm = 20;   // layer-norm weights of four gates
constexpr size_t kInputs = 24;

struct LstmStates {
  State output, cell;
};

Result<LstmStates> append_states(Emitter& emitter, const Operator& op, std::vector<uint32_t>& inputs, size_t first) {
  LstmStates states;
  TOOLS_ASSIGN(states.output, emitter.state(op, first));
  TOOLS_ASSIGN(states.cell, emitter.state(op, first + 1));
  inputs.push_back(states.output.operand);
  inputs.push_back(states.cell.operand);
  return states;
}

Status append_settings(Emitter& emitter, std::vector<uint32_t>& inputs, const RecurrentOptions& settings) {
  TOOLS_TRY(append(emitter, inputs, {static_cast<int32_t>(settings.activation)}));  // NONE to TANH have NNAPI's numbers
  return append_reals(emitter, inputs, ANEURALNETWORKS_TENSOR_FLOAT32, {settings.cell_clip, settings.projection_clip});
}

Status emit_unidirectional_lstm(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<RecurrentOptions>(op));
  if (settings->diagonal_recurrent) return fail(op.where + ": NNAPI has no diagonal recurrent weights");
  std::vector<uint32_t> inputs;
  TOOLS_TRY(append_real_inputs(emitter, op, inputs, {0, kFirstState}));
  TOOLS_ASSIGN(const LstmStates states, append_states(emitter, op, inputs, kFirstState));
  TOOLS_TRY(append_settings(emitter, inputs, *settings));
  TOOLS_TRY(append_bools(emitter, inputs, {settings->time_major}));
  TOOLS_TRY(append_real_inputs(emitter, op, inputs, {kFirstNorm, kInputs}));
  StateResults results;
  if (states.output.variable || states.cell.variable) {
    TOOLS_TRY(append_new_state(emitter, results.after, states.output));
    TOOLS_TRY(append_new_state(emitter, results.after, states.cell));
  }
  return emit_real_results(emitter, op, ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, results);
}

Status emit_bidirectional_lstm(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<RecurrentOptions>(op));
  constexpr size_t kStates = 35;  // of the forward cell, then of the backward cell
  constexpr size_t kAuxiliary = 39;
  constexpr size_t kEnd = 48;
  std::vector<uint32_t> inputs;
  TOOLS_TRY(append_real_inputs(emitter, op, inputs, {0, kStates}));
  TOOLS_ASSIGN(const LstmStates forward, append_states(emitter, op, inputs, kStates));
  TOOLS_ASSIGN(const LstmStates backward, append_states(emitter, op, inputs, kStates + 2));
  TOOLS_TRY(append_real_inputs(emitter, op, inputs, {kAuxiliary, kEnd}));
  TOOLS_TRY(append_settings(emitter, inputs, *settings));
  TOOLS_TRY(append_bools(emitter, inputs, {settings->merge_outputs, settings->time_major}));
  for (size_t i = 0; i < 8; ++i) {  // the file's operator has no layer normalization
    TOOLS_ASSIGN(const uint32_t none, emitter.builder().add_omitted({.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = {0}}));
    inputs.push_back(none);
  }
  StateResults results;
  if (emitter.translation().options.keep_states) {
    for (const State& state : {forward.output, forward.cell, backward.output, backward.cell}) {
      TOOLS_TRY(append_new_state(emitter, results.after, state));
    }
  }
  return emit_real_results(emitter, op, ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_LSTM, inputs, results);
}

Status emit_full_lstm(Emitter& emitter, const Operator& op, const RecurrentOptions& settings) {
  if (op.outputs.size() != 1) return fail(fmt::format("{}: it must have 1 output, but has {}", op.where, op.outputs.size()));
  std::vector<uint32_t> inputs;
  TOOLS_TRY(append_real_inputs(emitter, op, inputs, {0, kFirstState}));
  TOOLS_ASSIGN(const LstmStates states, append_states(emitter, op, inputs, kFirstState));
  TOOLS_TRY(append_settings(emitter, inputs, settings));
  bool has_norms = false;
  for (size_t i = kFirstNorm; i < kInputs; ++i) has_norms = has_norms || Emitter::has_input(op, i);
  if (has_norms) TOOLS_TRY(append_real_inputs(emitter, op, inputs, {kFirstNorm, kInputs}));
  // The scratch buffer holds the gates of all units; without an input gate they are three.
  OperandInfo scratch = emitter.builder().operand(states.cell.operand);
  if (scratch.dimensions.size() != 2) return fail(op.where + ": the cell state must have 2 dimensions");
  const uint64_t width = uint64_t{scratch.dimensions[1]} * (Emitter::has_input(op, 1) ? 4 : 3);
  if (width > static_cast<uint64_t>(INT32_MAX))
    return fail(fmt::format("{}: its {} units are more than NNAPI allows", op.where, scratch.dimensions[1]));
  scratch.dimensions[1] = static_cast<uint32_t>(width);
  StateResults results;
  TOOLS_ASSIGN(const uint32_t scratch_operand, emitter.temporary(scratch));
  results.before.push_back(scratch_operand);
  TOOLS_TRY(append_new_state(emitter, results.before, states.output));
  TOOLS_TRY(append_new_state(emitter, results.before, states.cell));
  return emit_real_results(emitter, op, ANEURALNETWORKS_LSTM, inputs, results);
}

// Emits one step of the older form. Inputs: data, the output before, all weights, all biases, the cell state before. Outputs: the
// output, the cell state, data and output before in one row, and the gates of that row before their activations.
class BasicLstm {
 public:
  BasicLstm(Emitter& emitter, const Operator& op) : emitter_(emitter), op_(op) {}

  Status emit() {
    if (op_.outputs.size() != 4)
      return fail(fmt::format("{}: it must have 4 outputs, but has {}", op_.where, op_.outputs.size()));
    TOOLS_ASSIGN(const uint32_t data, emitter_.input(op_, 0));
    TOOLS_ASSIGN(const uint32_t before, emitter_.input(op_, 1));
    TOOLS_ASSIGN(const uint32_t cell, emitter_.input(op_, 4));
    info_ = emitter_.builder().operand(cell);
    if (info_.type != ANEURALNETWORKS_TENSOR_FLOAT32)
      return fail(op_.where + ": with five inputs, NNAPI computes it in float32 only");
    TOOLS_ASSIGN(const uint32_t row, emitter_.output(op_, 2));
    TOOLS_ASSIGN(const uint32_t gates, emitter_.output(op_, 3));
    std::vector<uint32_t> inputs{data, before};
    TOOLS_TRY(append(emitter_, inputs, {1}));
    TOOLS_TRY(emitter_.emit(op_, ANEURALNETWORKS_CONCATENATION, inputs, std::span(&row, 1)));
    TOOLS_ASSIGN(const uint32_t weights, emitter_.real_input(op_, 2));
    TOOLS_ASSIGN(const uint32_t biases, emitter_.real_input(op_, 3));
    inputs = {row, weights, biases};
    TOOLS_TRY(append(emitter_, inputs, {ANEURALNETWORKS_FUSED_NONE}));
    TOOLS_TRY(emitter_.emit(op_, ANEURALNETWORKS_FULLY_CONNECTED, inputs, std::span(&gates, 1)));
    return emit_cell(gates, cell);
  }

 private:
  // Emits the cell. The gates stand side by side: input, new values, forget, output.
  Status emit_cell(uint32_t gates, uint32_t cell) {
    std::vector<uint32_t> parts;
    for (size_t i = 0; i < 4; ++i) {
      TOOLS_ASSIGN(const uint32_t part, emitter_.temporary(info_));
      parts.push_back(part);
    }
    std::vector<uint32_t> inputs{gates};
    TOOLS_TRY(append(emitter_, inputs, {1, 4}));
    TOOLS_TRY(emitter_.emit(op_, ANEURALNETWORKS_SPLIT, inputs, parts));
    for (size_t i = 0; i < 4; ++i) {
      const int32_t code = i == 1 ? ANEURALNETWORKS_TANH : ANEURALNETWORKS_LOGISTIC;
      TOOLS_ASSIGN(parts[i], emitter_.emit_temporary(op_, code, std::span(&parts[i], 1), info_));
    }
    TOOLS_ASSIGN(const uint32_t added, emitter_.temporary(info_));
    TOOLS_TRY(product(ANEURALNETWORKS_MUL, {parts[0], parts[1]}, added));
    TOOLS_ASSIGN(const uint32_t kept, emitter_.temporary(info_));
    TOOLS_TRY(product(ANEURALNETWORKS_MUL, {parts[2], cell}, kept));
    TOOLS_ASSIGN(const uint32_t new_cell, emitter_.output(op_, 1));
    TOOLS_TRY(product(ANEURALNETWORKS_ADD, {added, kept}, new_cell));
    TOOLS_ASSIGN(const uint32_t bent, emitter_.emit_temporary(op_, ANEURALNETWORKS_TANH, std::span(&new_cell, 1), info_));
    TOOLS_ASSIGN(const uint32_t output, emitter_.output(op_, 0));
    return product(ANEURALNETWORKS_MUL, {parts[3], bent}, output);
  }

  Status product(int32_t code, std::vector<uint32_t> inputs, uint32_t result) {
    TOOLS_TRY(append(emitter_, inputs, {ANEURALNETWORKS_FUSED_NONE}));
    return emitter_.emit(op_, code, inputs, std::span(&result, 1));
  }

  Emitter& emitter_;
  const Operator& op_;
  OperandInfo info_;  // of the cell state
};

Status emit_lstm(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<RecurrentOptions>(op));
  return settings->basic_kernel ? BasicLstm(emitter, op).emit() : emit_full_lstm(emitter, op, *settings);
}

constexpr auto kRows = std::to_array<Row>({
    {format::BuiltinOperator_LSTM, emit_lstm, 1, false},
    {format::BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM, emit_unidirectional_lstm},
    {format::BuiltinOperator_BIDIRECTIONAL_SEQUENCE_LSTM, emit_bidirectional_lstm, 1, false},
});

}  // namespace

std::span<const Row> lstm_operators() { return kRows; }

}  // namespace nnvk::importers::tflite
