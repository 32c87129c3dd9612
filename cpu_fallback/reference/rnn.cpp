// RNN, UNIDIRECTIONAL_SEQUENCE_RNN and BIDIRECTIONAL_SEQUENCE_RNN: h = act(bias + W x + A aux + R h_before), in this order. Sums
// are float32; the values passed from step to step are rounded to the tensors' type.
#include <map>

#include "core/operations/parameters/rnn_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/recurrent_activation.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// Adds the product of a [units, size] matrix and one row of a sequence (or of the state) to `sums`.
void add_product(const float* weights, const float* x, size_t size, std::vector<float>& sums) {
  for (size_t u = 0; u < sums.size(); ++u) {
    for (size_t k = 0; k < size; ++k) sums[u] += x[k] * weights[u * size + k];
  }
}

void run_direction(const KernelContext& context, const RnnParameters& p, const RnnDirection& d, FloatOutput& output) {
  const bool half = context.operation.input(kSequenceInput).type == OperandType::kTensorFloat16;
  const size_t output_width = context.outputs[d.output].info.shape.dims.back();
  const FloatInput input(context, d.input);
  const FloatInput weights(context, d.cell.weights());
  const FloatInput recurrent(context, d.cell.recurrent_weights());
  const FloatInput bias(context, d.cell.bias());
  const FloatInput auxiliary(context, d.auxiliary.value_or(d.input));
  const FloatInput auxiliary_weights(context, d.auxiliary ? d.auxiliary_weights : d.cell.weights());
  std::vector<float> h = optional_floats(context, d.cell.state());
  std::vector<float> sums(d.units);
  DeadlineWatch watch(1);
  for (uint32_t n = 0; n < p.steps; ++n) {
    const uint32_t step = d.backward ? p.steps - 1 - n : n;
    for (uint32_t b = 0; b < p.batch; ++b) {
      watch.look();
      const size_t row = p.row(step, b);
      float* const before = h.data() + size_t{b} * d.units;
      std::copy_n(bias.values().begin(), d.units, sums.begin());
      add_product(weights.values().data(), input.values().data() + row * d.input_size, d.input_size, sums);
      if (d.auxiliary) {
        add_product(auxiliary_weights.values().data(), auxiliary.values().data() + row * d.auxiliary_size, d.auxiliary_size,
                    sums);
      }
      add_product(recurrent.values().data(), before, d.units, sums);
      for (uint32_t u = 0; u < d.units; ++u) {
        const float result = recurrent_activation(p.activation, sums[u]);
        before[u] = half ? half_to_float(float_to_half(result)) : result;
        output[row * output_width + d.output_column + u] = before[u];
      }
    }
  }
  if (d.state_output) store_reals(context, *d.state_output, h);
}

Status rnn(KernelContext& context) {
  NNVK_ASSIGN(const RnnParameters p, rnn_parameters(context.operation));
  std::map<size_t, FloatOutput> sequences;  // merged directions write different columns of one output
  for (const RnnDirection& d : p.directions) {
    run_direction(context, p, d, sequences.try_emplace(d.output, context, d.output).first->second);
  }
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kRnn, rnn},
    {OperationCode::kUnidirectionalSequenceRnn, rnn},
    {OperationCode::kBidirectionalSequenceRnn, rnn},
};

}  // namespace

std::span<const KernelRow> rnn_kernels() { return kRows; }

}  // namespace nnvk::cpu
