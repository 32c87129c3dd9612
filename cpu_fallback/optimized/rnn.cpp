// RNN, UNIDIRECTIONAL_SEQUENCE_RNN and BIDIRECTIONAL_SEQUENCE_RNN in floats, with constant weights.
#include "core/operations/parameters/rnn_parameters.h"

#include <algorithm>

#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/recurrent_kernel.h"
#include "cpu_fallback/optimized/sequence_sums.h"

namespace nnvk::cpu {
namespace {

// One direction (forward or backward) of a recurrent layer, with its weights packed.
class Direction {
 public:
  // Returns false if the reference must compute the direction.
  static bool is_fast(const OperationView& operation, const RnnDirection& d) {
    const auto is_constant = [&](size_t input) { return operation.inputs[input].value.data() != nullptr; };
    return operation.has(d.cell.state()) && is_constant(d.cell.weights()) && is_constant(d.cell.recurrent_weights()) &&
           is_constant(d.cell.bias()) && (!d.auxiliary || is_constant(d.auxiliary_weights));
  }

  Direction(const OperationView& operation, const RnnParameters& p, const RnnDirection& d)
      : p_(p), d_(d), width_(operation.output(d.output).shape.dims.back()), sums_(p, d, d.units, d.units) {
    sums_.put_weights(constant_floats(operation.inputs[d.cell.weights()]),
                      d.auxiliary ? constant_floats(operation.inputs[d.auxiliary_weights]) : std::span<const float>(),
                      constant_floats(operation.inputs[d.cell.recurrent_weights()]), d.units, 0);
    sums_.put_start(constant_floats(operation.inputs[d.cell.bias()]), 0);
  }

  size_t scratch_floats() const { return size_t{p_.batch} * d_.units + sums_.scratch_floats(); }

  void run(const KernelMemory& memory, ThreadPool& threads) const {
    const size_t values = size_t{p_.batch} * d_.units;
    auto* const state = reinterpret_cast<float*>(memory.scratch);
    std::copy_n(memory.input<float>(d_.cell.state()), values, state);
    auto* const output = memory.output<float>(d_.output);
    for (uint32_t step = 0; step < p_.steps; ++step) {
      const auto rows = sums_.compute(step, memory, state + values, {state, d_.units, d_.units}, threads);
      for (uint32_t b = 0; b < p_.batch; ++b) {
        activate(p_.activation, rows[b], round_up(d_.units, kUnitStep));
        std::copy_n(rows[b], d_.units, state + size_t{b} * d_.units);
        std::copy_n(rows[b], d_.units, output + p_.row(rows.time, b) * width_ + d_.output_column);
      }
    }
    if (d_.state_output) std::copy_n(state, values, memory.output<float>(*d_.state_output));
  }

 private:
  const RnnParameters& p_;
  const RnnDirection& d_;
  const size_t width_;  // of a row of the output
  SequenceSums sums_;
};

std::unique_ptr<OptimizedKernel> rnn(const KernelNode& node) {
  using RnnKernel = RecurrentKernel<RnnParameters, Direction>;
  return recurrent_kernel<RnnKernel, Direction>(node, rnn_parameters(node.operation));
}

constexpr OptimizedRow kRows[] = {
    {.code = OperationCode::kRnn, .make = rnn, .rounds_halves_once = true},
    {OperationCode::kUnidirectionalSequenceRnn, rnn},
    {OperationCode::kBidirectionalSequenceRnn, rnn},
};

}  // namespace

std::span<const OptimizedRow> optimized_rnn_kernels() { return kRows; }

}  // namespace nnvk::cpu
