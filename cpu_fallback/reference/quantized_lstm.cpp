// QUANTIZED_16BIT_LSTM and QUANTIZED_LSTM: one step of an LSTM cell in integers. Gates and cell state are 16-bit fixed-point
// numbers (core/base/fixed_point_16.h).
#include "core/base/fixed_point_16.h"
#include "core/base/inverse_square_root.h"
#include "core/operations/parameters/quantized_lstm_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// --- QUANTIZED_16BIT_LSTM ---------------------------------------------------------------------------------------------------

// Computes a gate before its activation function, as a 16-bit number with 3 integer bits. The data row is [input, previous
// output], but the weight row is [recurrent weights, input weights]. The specification multiplies the two rows column by column.
int32_t gate_16bit(const KernelContext& context, const Quantized16bitLstmParameters& p, size_t gate, size_t batch, size_t unit) {
  using namespace quantized_16bit_lstm;
  const auto input = context.input<uint8_t>(kInput);
  const auto output_state = context.input<uint8_t>(kOutputState);
  const auto input_weights = context.input<uint8_t>(kInputWeights + gate);
  const auto recurrent_weights = context.input<uint8_t>(kRecurrentWeights + gate);
  auto sum = static_cast<uint32_t>(context.input<int32_t>(kBiases + gate)[unit]);
  for (size_t k = 0; k < size_t{p.input_size} + p.units; ++k) {
    const int32_t x = k < p.input_size ? input[batch * p.input_size + k] : output_state[batch * p.units + k - p.input_size];
    const int32_t w = k < p.units ? recurrent_weights[unit * p.units + k] : input_weights[unit * p.input_size + k - p.units];
    sum += static_cast<uint32_t>((x - kZeroPoint) * (w - p.weight_zero_point));
  }
  return clamp_16(scale_fixed_point(static_cast<int32_t>(sum), p.multiplier));
}

Status quantized_16bit_lstm_step(KernelContext& context) {
  using namespace quantized_16bit_lstm;
  const Quantized16bitLstmParameters p = quantized_16bit_lstm_parameters(context.operation);
  const auto cell_in = context.input<int16_t>(kCellState);
  const auto cell_out = context.output<int16_t>(kNewCellState);
  const auto output = context.output<uint8_t>(kOutput);
  for (size_t i = 0; i < cell_in.size(); ++i) {
    const auto gate = [&](size_t g) { return gate_16bit(context, p, g, i / p.units, i % p.units); };
    const int32_t input_gate = logistic_16(gate(kLstmInputGate), 3);
    const int32_t forget_gate = logistic_16(gate(kLstmForgetGate), 3);
    const int32_t candidate = tanh_16(gate(kLstmCellGate), 3);
    const int32_t output_gate = logistic_16(gate(kLstmOutputGate), 3);
    const int32_t cell =
        clamp_16(rounding_shift_right(multiply_16(input_gate, candidate), 4) + multiply_16(forget_gate, cell_in[i]));
    const int32_t hidden = multiply_16(output_gate, tanh_16(shift_left_16(cell, 1), 3));
    cell_out[i] = static_cast<int16_t>(cell);
    output[i] = static_cast<uint8_t>(kZeroPoint + clamp_int(rounding_shift_right(hidden, 8), -128, 127));
  }
  return {};
}

// --- QUANTIZED_LSTM ---------------------------------------------------------------------------------------------------------

using namespace quantized_lstm;

// Returns the sum of the products of one row of int8 values, minus their zero point, with one row of weights. Sums wrap.
int32_t dot(std::span<const int8_t> x, int32_t zero_point, std::span<const int8_t> weights) {
  uint32_t sum = 0;
  for (size_t k = 0; k < x.size(); ++k) sum += static_cast<uint32_t>((x[k] - zero_point) * weights[k]);
  return static_cast<int32_t>(sum);
}

// Scales the gates of one batch row, in place, to mean 0 and variance 1, multiplies by the weights and adds the bias.
void normalize(std::span<int32_t> gates, std::span<const int16_t> weights, std::span<const int32_t> bias,
               FixedPointMultiplier scale) {
  constexpr int64_t kUnit = 1 << 20;
  const auto count = static_cast<int64_t>(gates.size());
  int64_t sum = 0;
  int64_t squares = 0;
  for (const int32_t v : gates) {
    sum += v;
    squares += int64_t{v} * v;
  }
  const int64_t mean = sum * 1024 / count;
  // Variances below one have the same inverse root as one.
  const int64_t variance = (squares * (kUnit / count) - mean * mean) / kUnit;
  const FixedPointMultiplier inverse = inverse_square_root(variance < 1 ? 1 : static_cast<uint64_t>(variance));
  for (size_t u = 0; u < gates.size(); ++u) {
    const int32_t centered = scale_fixed_point(static_cast<int32_t>(int64_t{1024} * gates[u] - mean), inverse);
    const int32_t weighted = wrapping_add(wrapping_multiply(centered, weights[u]), bias[u]);
    const int32_t rounded = (weighted > 0 ? wrapping_add(weighted, 512) : wrapping_subtract(weighted, 512)) / 1024;
    gates[u] = clamp_16(scale_fixed_point(rounded, scale));
  }
}

// Computes one gate of all rows before its activation function. `cell`: the cell state that peepholes read.
std::vector<int32_t> gate_values(const KernelContext& context, const QuantizedLstmParameters& p, size_t g,
                                 std::span<const int16_t> cell) {
  const QuantizedLstmGate& gate = p.gates[g];
  const auto input = context.input<int8_t>(kInput);
  const auto state = context.input<int8_t>(kCell.output_state());
  const auto input_weights = context.input<int8_t>(kCell.input_weights(g));
  const auto recurrent_weights = context.input<int8_t>(kCell.recurrent_weights(g));
  const int32_t input_zero_point = context.operation.input(kInput).zero_point;
  std::vector<int32_t> values(size_t{p.batches} * p.units);
  DeadlineWatch watch;
  for (size_t i = 0; i < values.size(); ++i) {
    watch.look();
    const size_t b = i / p.units;
    const size_t u = i % p.units;
    const int32_t x = scale_fixed_point(dot(input.subspan(b * p.input_size, p.input_size), input_zero_point,
                                            input_weights.subspan(u * p.input_size, p.input_size)),
                                        gate.input);
    const int32_t h = scale_fixed_point(dot(state.subspan(b * p.output_size, p.output_size), p.output_zero_point,
                                            recurrent_weights.subspan(u * p.output_size, p.output_size)),
                                        gate.recurrent);
    values[i] = clamp_16(int64_t{h} + clamp_16(x));
    if (gate.has_peephole) {
      const int32_t product = context.input<int16_t>(kCell.peephole(g))[u] * cell[i];
      values[i] = clamp_16(int64_t{values[i]} + scale_fixed_point(product, gate.peephole));
    }
  }
  if (p.has_layer_norm) {
    for (size_t b = 0; b < p.batches; ++b) {
      normalize(std::span(values).subspan(b * p.units, p.units), context.input<int16_t>(kCell.layer_norm(g)),
                context.input<int32_t>(kCell.bias(g)), gate.layer_norm);
    }
  }
  return values;
}

// Multiplies the hidden rows by the projection weights.
void project(const KernelContext& context, const QuantizedLstmParameters& p, std::span<const int8_t> hidden,
             std::span<int8_t> out) {
  const auto weights = context.input<int8_t>(kCell.projection_weights());
  const auto bias = context.input<int32_t>(kCell.projection_bias());  // may be omitted
  DeadlineWatch watch;
  for (size_t i = 0; i < size_t{p.batches} * p.output_size; ++i) {
    watch.look();
    const size_t r = i % p.output_size;
    const int32_t sum =
        dot(hidden.subspan(i / p.output_size * p.units, p.units), -p.hidden_zero_point, weights.subspan(r * p.units, p.units));
    const int32_t scaled = scale_fixed_point(wrapping_add(sum, bias.empty() ? 0 : bias[r]), p.projection);
    const int64_t value = std::clamp<int64_t>(int64_t{scaled} + p.output_zero_point, -128, 127);
    out[i] = static_cast<int8_t>(std::clamp<int64_t>(value, -p.projection_clip, p.projection_clip));
  }
}

Status quantized_lstm_step(KernelContext& context) {
  NNVK_ASSIGN(const QuantizedLstmParameters p, quantized_lstm_parameters(context.operation));
  const auto cell_in = context.input<int16_t>(kCell.cell_state());
  const auto cell_out = context.output<int16_t>(kNewCellState);
  const size_t count = size_t{p.batches} * p.units;
  std::vector<int32_t> input_gate;
  if (p.gates[kLstmInputGate].present) input_gate = gate_values(context, p, kLstmInputGate, cell_in);
  const std::vector<int32_t> forget_gate = gate_values(context, p, kLstmForgetGate, cell_in);
  const std::vector<int32_t> candidate = gate_values(context, p, kLstmCellGate, cell_in);
  for (size_t i = 0; i < count; ++i) {
    const int32_t f = logistic_16(forget_gate[i], 3);
    const int32_t in = input_gate.empty() ? kOne16 - f : logistic_16(input_gate[i], 3);
    const int32_t kept = rounding_shift_right(f * cell_in[i], 15);
    const int32_t added = rounding_shift_right(in * tanh_16(candidate[i], 3), 15 + p.cell_integer_bits);
    cell_out[i] = static_cast<int16_t>(clamp_int(clamp_16(kept + added), -p.cell_clip, p.cell_clip));
  }

  const std::vector<int32_t> output_gate = gate_values(context, p, kLstmOutputGate, cell_out);
  std::vector<int8_t> hidden(count);
  for (size_t i = 0; i < count; ++i) {
    const int32_t product = logistic_16(output_gate[i], 3) * tanh_16(cell_out[i], p.cell_integer_bits);
    const int64_t value = int64_t{scale_fixed_point(product, p.hidden)} - p.hidden_zero_point;
    hidden[i] = static_cast<int8_t>(std::clamp<int64_t>(value, -128, 127));
  }
  const auto output = context.output<int8_t>(kOutput);
  if (p.has_projection) {
    project(context, p, hidden, output);
  } else {
    std::copy(hidden.begin(), hidden.end(), output.begin());
  }
  std::copy_n(output.begin(), size_t{p.batches} * p.output_size, context.output<int8_t>(kNewOutputState).begin());
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kQuantized16bitLstm, quantized_16bit_lstm_step},
    {OperationCode::kQuantizedLstm, quantized_lstm_step},
};

}  // namespace

std::span<const KernelRow> quantized_lstm_kernels() { return kRows; }

}  // namespace nnvk::cpu
