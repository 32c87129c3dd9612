// Adds inputs, states and results of recurrent operators.
#include "importers/tflite/recurrent_parts.h"

namespace nnvk::importers::tflite {

Result<uint32_t> optional_real_input(Emitter& emitter, const Operator& op, size_t position) {
  if (Emitter::has_input(op, position)) return emitter.real_input(op, position);
  return emitter.builder().add_omitted({.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = {0}});
}

Status append_real_inputs(Emitter& emitter, const Operator& op, std::vector<uint32_t>& inputs, std::array<size_t, 2> range) {
  for (size_t i = range[0]; i < range[1]; ++i) {
    TOOLS_ASSIGN(const uint32_t operand, optional_real_input(emitter, op, i));
    inputs.push_back(operand);
  }
  return {};
}

Status append_new_state(Emitter& emitter, std::vector<uint32_t>& results, const State& state) {
  TOOLS_ASSIGN(const uint32_t operand, emitter.new_state(state));
  results.push_back(operand);
  return {};
}

Status emit_real_results(Emitter& emitter, const Operator& op, int32_t code, const std::vector<uint32_t>& inputs,
                         const StateResults& states) {
  std::vector<uint32_t> results = states.before;
  std::vector<std::array<uint32_t, 2>> quantized;  // real result, output
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    TOOLS_ASSIGN(const uint32_t output, emitter.output(op, i));
    const OperandInfo info = emitter.builder().operand(output);
    if (!is_quant8(info.type)) {
      results.push_back(output);
      continue;
    }
    TOOLS_ASSIGN(const uint32_t real, emitter.temporary({.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = info.dimensions}));
    results.push_back(real);
    quantized.push_back({real, output});
  }
  results.insert(results.end(), states.after.begin(), states.after.end());
  TOOLS_TRY(emitter.emit(op, code, inputs, results));
  for (const auto& [real, output] : quantized) {
    TOOLS_TRY(emitter.emit(op, ANEURALNETWORKS_QUANTIZE, std::span(&real, 1), std::span(&output, 1)));
  }
  return {};
}

}  // namespace nnvk::importers::tflite
