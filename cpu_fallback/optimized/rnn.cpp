// RNN, UNIDIRECTIONAL_SEQUENCE_RNN and BIDIRECTIONAL_SEQUENCE_RNN in floats, with constant weights.
#include "core/operations/parameters/rnn_parameters.h"

#include <algorithm>

#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/recurrent_kernel.h"
#include "cpu_fallback/optimized/rows/recurrent_rows.h"

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
      : p_(p),
        d_(d),
        width_(operation.output(d.output).shape.dims.back()),
        weights_(size_t{d.input_size} + d.auxiliary_size + d.units, d.units),
        start_(zeros(weights_.columns())) {
    weights_.put(constant_floats(operation.inputs[d.cell.weights()]), d.units, 0, 0);
    if (d.auxiliary) weights_.put(constant_floats(operation.inputs[d.auxiliary_weights]), d.units, d.input_size, 0);
    weights_.put(constant_floats(operation.inputs[d.cell.recurrent_weights()]), d.units, size_t{d.input_size} + d.auxiliary_size,
                 0);
    std::ranges::copy(constant_floats(operation.inputs[d.cell.bias()]), start_.data());
  }

  size_t scratch_floats() const { return size_t{2} * p_.batch * weights_.columns(); }

  void run(const KernelMemory& memory, ThreadPool& threads) const {
    const size_t columns = weights_.columns();
    auto* state = reinterpret_cast<float*>(memory.scratch);
    float* next = state + p_.batch * columns;
    const auto* const h = memory.input<float>(d_.cell.state());
    for (size_t b = 0; b < p_.batch; ++b) std::copy_n(h + b * d_.units, d_.units, state + b * columns);
    const auto* const input = memory.input<float>(d_.input);
    const auto* const auxiliary = d_.auxiliary ? memory.input<float>(*d_.auxiliary) : nullptr;
    auto* const output = memory.output<float>(d_.output);
    const double nanoseconds = 0.02 * static_cast<double>(p_.batch * weights_.inputs() * kPanelColumns);
    for (uint32_t step = 0; step < p_.steps; ++step) {
      const uint32_t time = d_.backward ? p_.steps - 1 - step : step;
      threads.parallel_rows(weights_.panels(), nanoseconds, 1, [&](size_t first, size_t end) {
        for (uint32_t b = 0; b < p_.batch; ++b) {
          const size_t row = p_.row(time, b);
          float* const sums = next + b * columns;
          RecurrentProduct product;
          product.factors[0] = {input + row * d_.input_size, d_.input_size};
          if (auxiliary != nullptr) product.factors[1] = {auxiliary + row * d_.auxiliary_size, d_.auxiliary_size};
          product.factors[2] = {state + b * columns, d_.units};
          product.start = start_.data();
          product.sums = sums;
          multiply_panels(weights_, product, first, end);
          activate(p_.activation, sums + first * kPanelColumns, (end - first) * kPanelColumns);
        }
      });
      std::swap(state, next);
      for (uint32_t b = 0; b < p_.batch; ++b) {
        std::copy_n(state + b * columns, d_.units, output + p_.row(time, b) * width_ + d_.output_column);
      }
    }
    if (!d_.state_output) return;
    auto* const last = memory.output<float>(*d_.state_output);
    for (size_t b = 0; b < p_.batch; ++b) std::copy_n(state + b * columns, d_.units, last + b * d_.units);
  }

 private:
  const RnnParameters& p_;
  const RnnDirection& d_;
  const size_t width_;  // of a row of the output
  RecurrentPanels weights_;
  AlignedBuffer<float> start_;
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
