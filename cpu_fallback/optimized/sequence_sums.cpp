#include "cpu_fallback/optimized/sequence_sums.h"

#include <algorithm>

namespace nnvk::cpu {
namespace {

// Rows of inputs that are multiplied together. More would push the weights of the state out of the cache.
constexpr uint32_t kRowsAtOnce = 16;

}  // namespace

SequenceSums::SequenceSums(const SequenceLayout& layout, const SequenceDirection& direction, size_t state_size, size_t columns)
    : layout_(layout),
      direction_(direction),
      steps_at_once_(std::min(layout.steps, std::max(kRowsAtOnce / std::max(layout.batch, 1U), 1U))),
      input_weights_(size_t{direction.input_size} + direction.auxiliary_size, columns),
      state_weights_(state_size, columns),
      start_(zeros(input_weights_.columns())) {}

void SequenceSums::put_weights(std::span<const float> inputs, std::span<const float> auxiliary, std::span<const float> states,
                               size_t units, size_t first_column) {
  input_weights_.put(inputs, units, 0, first_column);
  input_weights_.put(auxiliary, units, direction_.input_size, first_column);
  state_weights_.put(states, units, 0, first_column);
}

void SequenceSums::put_start(std::span<const float> values, size_t first_column) {
  std::ranges::copy(values, start_.data() + first_column);
}

// Computes start + weights * inputs for `steps` steps from `first_time` on, in rows with the layout of the sequence.
void SequenceSums::multiply_inputs(uint32_t first_time, uint32_t steps, const KernelMemory& memory, float* sums,
                                   ThreadPool& threads) const {
  // Rows that are equally far apart in the inputs are one product.
  const bool is_one_product = layout_.time_major || steps == 1;
  const size_t products = is_one_product ? 1 : layout_.batch;
  const size_t rows = is_one_product ? size_t{steps} * layout_.batch : steps;
  const size_t row_stride = is_one_product && !layout_.time_major ? layout_.batch_stride() : 1;
  const auto* const input = memory.input<float>(direction_.input);
  const auto* const auxiliary = direction_.auxiliary ? memory.input<float>(*direction_.auxiliary) : nullptr;
  const auto factors = [&](const float* values, size_t size, size_t first_row) {
    return RecurrentFactors{values + first_row * size, size, row_stride * size};
  };
  threads.parallel_rows(
      input_weights_.panels(), input_weights_.panel_nanoseconds(products * rows), 1, [&](size_t first, size_t end) {
        for (uint32_t b = 0; b < products; ++b) {
          const size_t first_row = layout_.row(first_time, b);
          RecurrentProduct product{.rows = rows, .start = start_.data(), .sums_stride = input_weights_.columns()};
          product.factors[0] = factors(input, direction_.input_size, first_row);
          if (auxiliary != nullptr) product.factors[1] = factors(auxiliary, direction_.auxiliary_size, first_row);
          product.sums = sums + b * rows * product.sums_stride;
          multiply_panels(input_weights_, product, first, end);
        }
      });
}

SequenceSums::StepRows SequenceSums::compute(uint32_t step, const KernelMemory& memory, float* scratch,
                                             const RecurrentFactors& states, ThreadPool& threads) const {
  const uint32_t begin = step - step % steps_at_once_;
  const uint32_t end = std::min(begin + steps_at_once_, layout_.steps);
  const uint32_t first_time = std::min(time_of(begin), time_of(end - 1));
  if (step == begin) multiply_inputs(first_time, end - begin, memory, scratch, threads);

  const SequenceLayout computed{.steps = end - begin, .batch = layout_.batch, .time_major = layout_.time_major};
  const size_t columns = state_weights_.columns();
  const uint32_t time = time_of(step);
  const StepRows rows{time, scratch + computed.row(time - first_time, 0) * columns, computed.batch_stride() * columns};
  RecurrentProduct product{
      .rows = layout_.batch, .start = rows.first, .start_stride = rows.stride, .sums = rows.first, .sums_stride = rows.stride};
  product.factors[0] = states;
  threads.parallel_rows(state_weights_.panels(), state_weights_.panel_nanoseconds(layout_.batch), 1,
                        [&](size_t first, size_t last) { multiply_panels(state_weights_, product, first, last); });
  return rows;
}

}  // namespace nnvk::cpu
