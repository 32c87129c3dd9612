// Derives fixed-point multipliers and limits. Rules: specification, "numerics" of QUANTIZED_LSTM and QUANTIZED_16BIT_LSTM.
#include "core/operations/parameters/quantized_lstm_parameters.h"

#include <cmath>
#include <string>

namespace nnvk {
namespace {

// Integer limit of a float one; `none` when the clip is off (0, negative or NaN). Infinite and huge quotients give `most`.
int32_t clip_limit(float clip, float scale, int32_t most, int32_t none) {
  if (!(clip > 0.0F)) return none;
  const float limit = clip / scale;
  return limit < static_cast<float>(most) ? static_cast<int32_t>(std::max(limit, 0.0F)) : most;
}

FixedPointMultiplier multiplier(float real) { return decompose_multiplier(double{real}); }

}  // namespace

Result<QuantizedLstmParameters> quantized_lstm_parameters(const OperationView& operation) {
  using namespace quantized_lstm;
  QuantizedLstmParameters p;
  std::array<float, 8> scalars{};  // operands 24..31; the zero point among them is read apart
  for (size_t i = 0; i < scalars.size(); ++i) {
    const auto value = operation.scalar<float>(24 + i);
    if (!value) return fail(Code::kOpFailed, "input " + std::to_string(24 + i) + " must be known before the layer can run");
    scalars[i] = *value;
  }
  const float hidden_scale = scalars[7];
  const float output_scale = operation.input(kOutputState).scale;
  const float cell_scale = operation.input(kCellState).scale;
  p.batches = operation.shape(kInput)[0];
  p.input_size = operation.shape(kInput)[1];
  p.units = operation.shape(kInputWeights + kLstmOutputGate)[0];
  p.output_size = operation.shape(kRecurrentWeights + kLstmOutputGate)[1];
  p.has_layer_norm = operation.has(kLayerNorm + kLstmOutputGate);
  p.has_projection = operation.has(kProjectionWeights);
  const bool has_peephole = operation.has(peephole(kLstmOutputGate));
  const int exponent = static_cast<int>(std::lround(std::log2(double{cell_scale})));
  p.cell_integer_bits = 15 + exponent;
  p.cell_clip = clip_limit(scalars[0], cell_scale, 32767, 32768);
  for (size_t g = 0; g < kLstmGateCount; ++g) {
    QuantizedLstmGate& gate = p.gates[g];
    const float gate_scale = scalars[2 + g];
    gate.present = operation.has(kInputWeights + g);
    if (!gate.present) continue;
    gate.has_peephole = has_peephole && g != kLstmCellGate;
    gate.input = multiplier(operation.input(kInputWeights + g).scale * operation.input(kInput).scale / gate_scale);
    gate.recurrent = multiplier(operation.input(kRecurrentWeights + g).scale * output_scale / gate_scale);
    if (gate.has_peephole) gate.peephole = multiplier(std::ldexp(operation.input(peephole(g)).scale, exponent) / gate_scale);
    if (p.has_layer_norm) {
      gate.layer_norm = multiplier(operation.input(kLayerNorm + g).scale);
      if (gate.layer_norm.mantissa != 0) gate.layer_norm.exponent += 12;
    }
  }
  p.hidden = multiplier(std::ldexp(std::ldexp(1.0F, -15) / hidden_scale, -15));
  p.hidden_zero_point = static_cast<int8_t>(static_cast<uint32_t>(*operation.scalar<int32_t>(30)));
  p.output_zero_point = operation.input(kOutputState).zero_point;
  if (p.has_projection) {
    const float weight_scale = operation.input(kProjectionWeights).scale;
    p.projection = multiplier(weight_scale * hidden_scale / output_scale);
    p.projection_clip = clip_limit(scalars[1], weight_scale, 127, 128);
  }
  return p;
}

FixedPointMultiplier quantized_16bit_lstm_multiplier(float bias_scale) {
  return decompose_multiplier(4096.0 * double{bias_scale});
}

}  // namespace nnvk
