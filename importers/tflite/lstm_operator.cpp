// UNIDIRECTIONAL_SEQUENCE_LSTM. NNAPI's operation computes real numbers, so the importer dequantizes quantized weights, and
// operations around it convert quantized sequences.
#include <fmt/format.h>

#include "importers/tflite/operator_parts.h"

namespace nnvk::importers::tflite {
namespace {

// Positions of inputs in the file's operator. Weights, biases and states have the same order in NNAPI.
constexpr size_t kFirstState = 18;  // output state, cell state
constexpr size_t kFirstNorm = 20;   // layer-norm weights of four gates
constexpr size_t kInputs = 24;

Result<uint32_t> optional_input(Emitter& emitter, const Operator& op, size_t position) {
  if (Emitter::has_input(op, position)) return emitter.real_input(op, position);
  return emitter.builder().add_omitted({.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = {0}});
}

// A state of zeros, the content of the file's state variables after a reset: every execution starts from it.
Result<uint32_t> zero_state(Emitter& emitter, const Operator& op, size_t position) {
  if (!Emitter::has_input(op, position)) return fail(fmt::format("{}: input {} is missing", op.where, position));
  const OperandInfo info{.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = emitter.input_tensor(op, position).dimensions};
  if (info.elements() == 0) return fail(op.where + ": a state without elements");
  auto operand = emitter.zeros(info);
  if (!operand) return fail(fmt::format("{}: state {}: {}", op.where, position, operand.error().message));
  return operand;
}

}  // namespace

Status emit_unidirectional_lstm(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* table, options<format::UnidirectionalSequenceLSTMOptions>(op));
  std::vector<uint32_t> inputs;
  for (size_t i = 0; i < kFirstState; ++i) {
    Result<uint32_t> operand = i == 0 ? emitter.real_input(op, 0) : optional_input(emitter, op, i);
    if (!operand) return fail(operand.error().message);
    inputs.push_back(*operand);
  }
  for (const size_t i : {kFirstState, kFirstState + 1}) {
    TOOLS_ASSIGN(const uint32_t operand, zero_state(emitter, op, i));
    inputs.push_back(operand);
  }
  TOOLS_TRY(append(emitter, inputs, {static_cast<int32_t>(table->activation())}));  // NONE to TANH have NNAPI's numbers
  for (const float clip : {table->cell_clip(), table->proj_clip()}) {
    TOOLS_ASSIGN(const uint32_t operand, emitter.builder().add_float32(clip));
    inputs.push_back(operand);
  }
  TOOLS_TRY(append_bools(emitter, inputs, {table->time_major()}));
  for (size_t i = kFirstNorm; i < kInputs; ++i) {
    TOOLS_ASSIGN(const uint32_t operand, optional_input(emitter, op, i));
    inputs.push_back(operand);
  }

  TOOLS_ASSIGN(const uint32_t output, emitter.output(op));
  const OperandInfo info = emitter.builder().operand(output);
  if (!is_quant8(info.type)) return emitter.emit(op, ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, std::span(&output, 1));
  TOOLS_ASSIGN(const uint32_t real, emitter.temporary({.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = info.dimensions}));
  TOOLS_TRY(emitter.emit(op, ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, std::span(&real, 1)));
  return emitter.emit(op, ANEURALNETWORKS_QUANTIZE, std::span(&real, 1), std::span(&output, 1));
}

}  // namespace nnvk::importers::tflite
