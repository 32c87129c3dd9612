// LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM and BIDIRECTIONAL_SEQUENCE_LSTM: one cell, run once or over a sequence in either direction.
// Kernels compute in float32 and round FLOAT16 states only after the last step.
#include <array>
#include <map>

#include "core/operations/parameters/lstm_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/product.h"
#include "cpu_fallback/reference/recurrent_activation.h"

namespace nnvk::cpu {
namespace {

// A matrix of weights.
using Weights = FilterPanels<float>;

Weights weights(const KernelContext& context, size_t input) {
  const Shape& shape = context.operation.shape(input);
  return {FloatInput(context, input).values(), shape[0], shape[1]};
}

// Computes y += W x.
void add_product(const Weights& weights, const float* x, std::vector<float>& y) {
  multiply_rows<FloatMultiplication>(x, 1, weights, [&](size_t, size_t row, float sum) { y[row] += sum; });
}

// Computes z = (z - mean) / sqrt(variance + 1e-8) * gain + bias over the units of one batch row.
void normalize(std::vector<float>& z, const std::vector<float>& gain, const std::vector<float>& bias) {
  const auto count = static_cast<float>(z.size());
  float sum = 0.0F;
  for (const float value : z) sum += value;
  const float mean = sum / count;
  float squares = 0.0F;
  for (const float value : z) squares += (value - mean) * (value - mean);
  const float scale = 1.0F / std::sqrt(squares / count + 1e-8F);
  for (size_t u = 0; u < z.size(); ++u) z[u] = (z[u] - mean) * scale * gain[u] + bias[u];
}

// The cell of one direction with its operands.
class Cell {
 public:
  Cell(const KernelContext& context, const LstmParameters& p, const LstmDirection& d) : p_(p), d_(d) {
    for (size_t gate = first_gate(); gate < kLstmGateCount; ++gate) {
      input_[gate] = weights(context, d.cell.input_weights(gate));
      if (d.auxiliary) auxiliary_[gate] = weights(context, d.auxiliary_weights + gate);
      recurrent_[gate] = weights(context, d.cell.recurrent_weights(gate));
      bias_[gate] = optional_floats(context, d.cell.bias(gate));
      if (d.layer_norm) gain_[gate] = optional_floats(context, d.cell.layer_norm(gate));
    }
    if (d.peephole) {
      for (const size_t gate : {kLstmInputGate, kLstmForgetGate, kLstmOutputGate}) {
        peephole_[gate] = optional_floats(context, d.cell.peephole(gate));
      }
    }
    if (d.projection) projection_ = weights(context, d.cell.projection_weights());
    if (d.projection_bias) projection_bias_ = optional_floats(context, d.cell.projection_bias());
  }

  // Computes one time step of one batch row. `h` and `c` are the state, which the function replaces by the next one.
  void step(const float* x, const float* auxiliary, std::span<float> h, std::span<float> c) const {
    std::array<std::vector<float>, kLstmGateCount> z;
    for (size_t gate = first_gate(); gate < kLstmGateCount; ++gate) {
      z[gate] = d_.layer_norm ? std::vector<float>(d_.units) : bias_[gate];
      add_product(input_[gate], x, z[gate]);
      if (auxiliary != nullptr) add_product(auxiliary_[gate], auxiliary, z[gate]);
      add_product(recurrent_[gate], h.data(), z[gate]);
    }
    if (!d_.coupled) finish_gate(kLstmInputGate, c, z[kLstmInputGate]);
    finish_gate(kLstmForgetGate, c, z[kLstmForgetGate]);
    finish_gate(kLstmCellGate, c, z[kLstmCellGate]);
    for (size_t u = 0; u < d_.units; ++u) {
      const float forget = sigmoid(z[kLstmForgetGate][u]);
      const float input = d_.coupled ? 1.0F - forget : sigmoid(z[kLstmInputGate][u]);
      c[u] = clip(forget * c[u] + input * recurrent_activation(p_.activation, z[kLstmCellGate][u]), p_.cell_clip);
    }
    finish_gate(kLstmOutputGate, c, z[kLstmOutputGate]);  // sees the new cell state
    std::vector<float> m(d_.units);
    for (size_t u = 0; u < d_.units; ++u) m[u] = sigmoid(z[kLstmOutputGate][u]) * recurrent_activation(p_.activation, c[u]);
    project(m, h);
  }

 private:
  size_t first_gate() const { return d_.coupled ? kLstmForgetGate : kLstmInputGate; }
  static float clip(float value, float bound) { return bound > 0.0F ? std::clamp(value, -bound, bound) : value; }

  // Applies the peephole, then layer normalization.
  void finish_gate(size_t gate, std::span<const float> c, std::vector<float>& z) const {
    for (size_t u = 0; u < peephole_[gate].size(); ++u) z[u] += peephole_[gate][u] * c[u];
    if (d_.layer_norm) normalize(z, gain_[gate], bias_[gate]);
  }

  void project(const std::vector<float>& m, std::span<float> h) const {
    if (!d_.projection) {
      std::copy(m.begin(), m.end(), h.begin());
      return;
    }
    std::vector<float> sum = d_.projection_bias ? projection_bias_ : std::vector<float>(d_.output_size);
    add_product(projection_, m.data(), sum);
    for (size_t o = 0; o < h.size(); ++o) h[o] = clip(sum[o], p_.projection_clip);
  }

  const LstmParameters& p_;
  const LstmDirection& d_;
  std::array<Weights, kLstmGateCount> input_;
  std::array<Weights, kLstmGateCount> auxiliary_;
  std::array<Weights, kLstmGateCount> recurrent_;
  std::array<std::vector<float>, kLstmGateCount> bias_;
  std::array<std::vector<float>, kLstmGateCount> gain_;
  std::array<std::vector<float>, kLstmGateCount> peephole_;  // none for the cell gate
  Weights projection_;
  std::vector<float> projection_bias_;
};

// Runs one direction over the sequence; its results go to columns of `sequence`.
void run_direction(const KernelContext& context, const LstmParameters& p, const LstmDirection& d, std::span<float> sequence) {
  const size_t width = context.outputs[d.output].info.shape.dims.back();
  const Cell cell(context, p, d);
  const FloatInput input(context, d.input);
  const FloatInput auxiliary(context, d.auxiliary.value_or(d.input));
  std::vector<float> h = optional_floats(context, d.cell.output_state());
  std::vector<float> c = optional_floats(context, d.cell.cell_state());
  DeadlineWatch watch(1);
  for (uint32_t step = 0; step < p.steps; ++step) {
    const uint32_t time = d.backward ? p.steps - 1 - step : step;
    for (uint32_t b = 0; b < p.batch; ++b) {
      watch.look();
      const size_t row = p.row(time, b);
      const auto h_row = std::span(h).subspan(size_t{b} * d.output_size, d.output_size);
      const float* const x = input.values().data() + row * d.input_size;
      const float* const aux = d.auxiliary ? auxiliary.values().data() + row * d.input_size : nullptr;
      cell.step(x, aux, h_row, std::span(c).subspan(size_t{b} * d.units, d.units));
      std::copy(h_row.begin(), h_row.end(), sequence.begin() + static_cast<ptrdiff_t>(row * width + d.output_column));
    }
  }
  if (d.output_state) store_reals(context, *d.output_state, h);
  if (d.cell_state) store_reals(context, *d.cell_state, c);
}

Status lstm(KernelContext& context) {
  NNVK_ASSIGN(const LstmParameters p, lstm_parameters(context.operation));
  std::map<size_t, FloatOutput> sequences;  // merged directions write different columns of one output
  for (const LstmDirection& d : p.directions) {
    run_direction(context, p, d, sequences.try_emplace(d.output, context, d.output).first->second.values());
  }
  // The scratch output's values mean nothing, but must not reveal the previous contents of its memory.
  if (p.scratch) store_reals(context, *p.scratch, std::vector<float>(context.outputs[*p.scratch].info.shape.element_count()));
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kLstm, lstm},
    {OperationCode::kUnidirectionalSequenceLstm, lstm},
    {OperationCode::kBidirectionalSequenceLstm, lstm},
};

}  // namespace

std::span<const KernelRow> lstm_kernels() { return kRows; }

}  // namespace nnvk::cpu
