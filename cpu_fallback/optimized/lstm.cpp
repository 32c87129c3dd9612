// LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM and BIDIRECTIONAL_SEQUENCE_LSTM in floats, with constant weights.
#include <algorithm>
#include <array>

#include "core/operations/parameters/lstm_parameters.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/recurrent_kernel.h"
#include "cpu_fallback/optimized/sequence_sums.h"

namespace nnvk::cpu {
namespace {

constexpr size_t kNoGate = SIZE_MAX;

// One prepared direction. The columns of its products hold the gates one after the other, each padded to whole vectors.
class Direction {
 public:
  // Returns false if the reference must compute the direction.
  static bool is_fast(const OperationView& operation, const LstmDirection& d) {
    if (!operation.has(d.cell.output_state()) || !operation.has(d.cell.cell_state())) return false;
    const auto is_constant = [&](size_t input) {
      return !operation.has(input) || operation.inputs[input].value.data() != nullptr;
    };
    for (size_t gate = 0; gate < kLstmGateCount; ++gate) {
      const bool is_known = is_constant(d.cell.input_weights(gate)) && is_constant(d.cell.recurrent_weights(gate)) &&
                            is_constant(d.cell.bias(gate)) && (gate == kLstmCellGate || is_constant(d.cell.peephole(gate))) &&
                            (!d.layer_norm || is_constant(d.cell.layer_norm(gate))) &&
                            (!d.auxiliary || is_constant(d.auxiliary_weights + gate));
      if (!is_known) return false;
    }
    return is_constant(d.cell.projection_weights()) && is_constant(d.cell.projection_bias());
  }

  Direction(const OperationView& operation, const LstmParameters& p, const LstmDirection& d)
      : p_(p),
        d_(d),
        units_(round_up(d.units, kUnitStep)),
        width_(operation.output(d.output).shape.dims.back()),
        gates_(p, d, d.output_size, units_ * (d.coupled ? kLstmGateCount - 1 : kLstmGateCount)) {
    size_t column = 0;
    for (size_t gate = 0; gate < kLstmGateCount; ++gate) {
      column_[gate] = gate == kLstmInputGate && d.coupled ? kNoGate : column;
      if (column_[gate] == kNoGate) continue;
      column += units_;
      gates_.put_weights(constant_floats(operation.inputs[d.cell.input_weights(gate)]),
                         d.auxiliary ? constant_floats(operation.inputs[d.auxiliary_weights + gate]) : std::span<const float>(),
                         constant_floats(operation.inputs[d.cell.recurrent_weights(gate)]), d.units, column_[gate]);
      if (d.layer_norm) {
        gain_[gate] = unit_floats(operation.inputs[d.cell.layer_norm(gate)]);
        bias_[gate] = unit_floats(operation.inputs[d.cell.bias(gate)]);
      } else {
        gates_.put_start(constant_floats(operation.inputs[d.cell.bias(gate)]), column_[gate]);
      }
      if (d.peephole && gate != kLstmCellGate) peephole_[gate] = unit_floats(operation.inputs[d.cell.peephole(gate)]);
    }
    if (!d.projection) return;
    projection_ = RecurrentPanels(d.units, d.output_size);
    projection_start_ = zeros(projection_.columns());
    projection_.put(constant_floats(operation.inputs[d.cell.projection_weights()]), d.output_size, 0, 0);
    if (d.projection_bias)
      std::ranges::copy(constant_floats(operation.inputs[d.cell.projection_bias()]), projection_start_.data());
  }

  size_t scratch_floats() const {
    return p_.batch * (2 * units_ + state_size() + projection_.columns()) + gates_.scratch_floats();
  }

  void run(const KernelMemory& memory, ThreadPool& threads) const {
    const Rows rows = place(reinterpret_cast<float*>(memory.scratch));
    const auto* const h = memory.input<float>(d_.cell.output_state());
    const auto* const c = memory.input<float>(d_.cell.cell_state());
    std::fill_n(rows.cell, p_.batch * units_, 0.0F);
    for (size_t b = 0; b < p_.batch; ++b) {
      std::copy_n(h + b * d_.output_size, d_.output_size, rows.state + b * state_size());
      std::copy_n(c + b * d_.units, d_.units, rows.cell + b * units_);
    }
    auto* const output = memory.output<float>(d_.output);
    for (uint32_t step = 0; step < p_.steps; ++step) {
      const auto gates = gates_.compute(step, memory, rows.gates, {rows.state, d_.output_size, state_size()}, threads);
      for (uint32_t b = 0; b < p_.batch; ++b) {
        finish(rows, b, gates[b]);
        const float* const state = rows.state + b * state_size();
        std::copy_n(state, d_.output_size, output + p_.row(gates.time, b) * width_ + d_.output_column);
      }
    }
    store_states(rows, memory);
  }

 private:
  // The scratch memory: rows for every row of the batch, and that of gates_.
  struct Rows {
    float* hidden;
    float* cell;
    float* state;
    float* projected;
    float* gates;
  };

  // Returns a constant with a number per unit, padded to whole vectors.
  AlignedBuffer<float> unit_floats(const OperandView& operand) const {
    AlignedBuffer<float> values = zeros(units_);
    std::ranges::copy(constant_floats(operand), values.data());
    return values;
  }

  size_t state_size() const { return round_up(d_.output_size, kUnitStep); }

  Rows place(float* scratch) const {
    Rows rows{};
    rows.hidden = scratch;
    rows.cell = rows.hidden + p_.batch * units_;
    rows.state = rows.cell + p_.batch * units_;
    rows.projected = rows.state + p_.batch * state_size();
    rows.gates = rows.projected + p_.batch * projection_.columns();
    return rows;
  }

  // Computes the step after the gates' products for one row of the batch.
  void finish(const Rows& rows, size_t b, float* gates) const {
    LstmStep step;
    step.units = d_.units;
    for (size_t gate = 0; gate < kLstmGateCount; ++gate) {
      if (column_[gate] == kNoGate) continue;
      step.gates[gate].sums = gates + column_[gate];
      step.gates[gate].peephole = peephole_[gate].data();
      step.gates[gate].gain = gain_[gate].data();
      step.gates[gate].bias = bias_[gate].data();
    }
    step.activation = p_.activation;
    step.cell_clip = p_.cell_clip;
    step.cell = rows.cell + b * units_;
    step.hidden = rows.hidden + b * units_;
    step_lstm(step);
    float* const state = rows.state + b * state_size();
    if (!d_.projection) {
      std::copy_n(step.hidden, d_.output_size, state);
      return;
    }
    float* const projected = rows.projected + b * projection_.columns();
    RecurrentProduct product{.start = projection_start_.data(), .sums = projected};
    product.factors[0] = {step.hidden, d_.units};
    multiply_panels(projection_, product, 0, projection_.panels());
    const float clip = p_.projection_clip;
    for (size_t o = 0; o < d_.output_size; ++o) state[o] = clip > 0.0F ? std::clamp(projected[o], -clip, clip) : projected[o];
  }

  void store_states(const Rows& rows, const KernelMemory& memory) const {
    for (size_t b = 0; b < p_.batch; ++b) {
      if (d_.output_state) {
        auto* const to = memory.output<float>(*d_.output_state) + b * d_.output_size;
        std::copy_n(rows.state + b * state_size(), d_.output_size, to);
      }
      if (d_.cell_state) {
        auto* const to = memory.output<float>(*d_.cell_state) + b * d_.units;
        std::copy_n(rows.cell + b * units_, d_.units, to);
      }
    }
  }

  const LstmParameters& p_;
  const LstmDirection& d_;
  const size_t units_;  // rounded up
  const size_t width_;  // of a row of the output
  std::array<size_t, kLstmGateCount> column_{};
  SequenceSums gates_;
  std::array<AlignedBuffer<float>, kLstmGateCount> peephole_;  // data() of missing ones is null, as in the next two
  std::array<AlignedBuffer<float>, kLstmGateCount> gain_;
  std::array<AlignedBuffer<float>, kLstmGateCount> bias_;  // added after the layer normalization
  RecurrentPanels projection_;
  AlignedBuffer<float> projection_start_;
};

class LstmKernel final : public RecurrentKernel<LstmParameters, Direction> {
 public:
  LstmKernel(const OperationView& operation, LstmParameters parameters) : RecurrentKernel(operation, std::move(parameters)) {
    if (p_.scratch) unused_bytes_ = static_cast<size_t>(operation.output(*p_.scratch).byte_size().value_or(0));
  }
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    RecurrentKernel::run(memory, threads);
    if (p_.scratch) std::fill_n(memory.outputs[*p_.scratch], unused_bytes_, std::byte{0});
  }

 private:
  size_t unused_bytes_ = 0;
};

std::unique_ptr<OptimizedKernel> lstm(const KernelNode& node) {
  return recurrent_kernel<LstmKernel, Direction>(node, lstm_parameters(node.operation));
}

constexpr auto kRows = rounding_halves_once({
    {OperationCode::kLstm, lstm},
    {OperationCode::kUnidirectionalSequenceLstm, lstm},
    {OperationCode::kBidirectionalSequenceLstm, lstm},
});

}  // namespace

std::span<const OptimizedRow> optimized_lstm_kernels() { return kRows; }

}  // namespace nnvk::cpu
