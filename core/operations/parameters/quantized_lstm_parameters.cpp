// Computes fixed-point multipliers and limits, by the specification's "numerics" of QUANTIZED_LSTM and QUANTIZED_16BIT_LSTM.
#include "core/operations/parameters/quantized_lstm_parameters.h"

#include <algorithm>
#include <cmath>

#include "core/operations/parameters/scalar_parameters.h"

namespace nnvk {
namespace {

// Returns the integer limit of a float one; `none` if the clip is off (0, negative or NaN), at most `most`.
int32_t clip_limit(float clip, float scale, int32_t most, int32_t none) {
  if (!(clip > 0.0F)) return none;
  const float limit = clip / scale;
  return limit < static_cast<float>(most) ? static_cast<int32_t>(std::max(limit, 0.0F)) : most;
}

FixedPointMultiplier multiplier(float real) { return decompose_multiplier(double{real}); }

}  // namespace

Result<QuantizedLstmParameters> quantized_lstm_parameters(const OperationView& operation) {
  using namespace quantized_lstm;
  NNVK_ASSIGN(const float cell_clip, float_parameter(operation, kCellClip));
  NNVK_ASSIGN(const float projection_clip, float_parameter(operation, kProjectionClip));
  std::array<float, kLstmGateCount> gate_scales{};
  for (size_t g = 0; g < kLstmGateCount; ++g) {
    NNVK_ASSIGN(gate_scales[g], float_parameter(operation, kGateScales + g));
  }
  NNVK_ASSIGN(const int32_t hidden_zero_point, int_parameter(operation, kHiddenZeroPoint));
  NNVK_ASSIGN(const float hidden_scale, float_parameter(operation, kHiddenScale));
  const auto scale = [&](size_t i) { return operation.input(i).scale; };
  const float output_scale = scale(kCell.output_state());
  const float cell_scale = scale(kCell.cell_state());
  QuantizedLstmParameters p;
  p.batches = operation.shape(kInput)[0];
  p.input_size = operation.shape(kInput)[1];
  p.units = operation.shape(kCell.input_weights(kLstmOutputGate))[0];
  p.output_size = operation.shape(kCell.recurrent_weights(kLstmOutputGate))[1];
  p.has_layer_norm = operation.has(kCell.layer_norm(kLstmOutputGate));
  p.has_projection = operation.has(kCell.projection_weights());
  const bool has_peephole = operation.has(kCell.peephole(kLstmOutputGate));
  const int exponent = static_cast<int>(std::lround(std::log2(double{cell_scale})));
  p.cell_integer_bits = 15 + exponent;
  p.cell_clip = clip_limit(cell_clip, cell_scale, 32767, 32768);
  for (size_t g = 0; g < kLstmGateCount; ++g) {
    QuantizedLstmGate& gate = p.gates[g];
    gate.present = operation.has(kCell.input_weights(g));
    if (!gate.present) continue;
    gate.has_peephole = has_peephole && g != kLstmCellGate;
    gate.input = multiplier(scale(kCell.input_weights(g)) * scale(kInput) / gate_scales[g]);
    gate.recurrent = multiplier(scale(kCell.recurrent_weights(g)) * output_scale / gate_scales[g]);
    if (gate.has_peephole) gate.peephole = multiplier(std::ldexp(scale(kCell.peephole(g)), exponent) / gate_scales[g]);
    if (p.has_layer_norm) {
      gate.layer_norm = multiplier(scale(kCell.layer_norm(g)));
      if (gate.layer_norm.mantissa != 0) gate.layer_norm.exponent += 12;
    }
  }
  p.hidden = multiplier(std::ldexp(std::ldexp(1.0F, -15) / hidden_scale, -15));
  p.hidden_zero_point =
      static_cast<int8_t>(static_cast<uint32_t>(hidden_zero_point));  // NOLINT(bugprone-signed-char-misuse): 8 bits are meant
  p.output_zero_point = operation.input(kCell.output_state()).zero_point;
  if (p.has_projection) {
    const float weight_scale = scale(kCell.projection_weights());
    p.projection = multiplier(weight_scale * hidden_scale / output_scale);
    p.projection_clip = clip_limit(projection_clip, weight_scale, 127, 128);
  }
  return p;
}

Quantized16bitLstmParameters quantized_16bit_lstm_parameters(const OperationView& operation) {
  using namespace quantized_16bit_lstm;
  return {.batches = operation.shape(kInput)[0],
          .input_size = operation.shape(kInput)[1],
          .units = operation.shape(kInputWeights)[0],
          .weight_zero_point = operation.input(kInputWeights).zero_point,
          .multiplier = decompose_multiplier(4096.0 * double{operation.input(kBiases).scale})};
}

}  // namespace nnvk
