// The products of a recurrent layer: every step adds the weighted inputs, and the weighted state that the step before it left.
// The inputs of many steps are multiplied together, so that their weights are read once for all of them.
#pragma once

#include "core/operations/rules/sequence_layout.h"
#include "cpu_fallback/optimized/kernel.h"
#include "cpu_fallback/optimized/rows/recurrent_rows.h"

namespace nnvk::cpu {

// The weights of one direction, and the sums of its steps. A step has a row of `columns` sums for each row of the batch.
class SequenceSums {
 public:
  // `layout` and `direction` must outlive the object.
  SequenceSums(const SequenceLayout& layout, const SequenceDirection& direction, size_t state_size, size_t columns);

  // Packs [units, size] matrices for the columns from `first_column` on. `auxiliary` is empty without an auxiliary input.
  void put_weights(std::span<const float> inputs, std::span<const float> auxiliary, std::span<const float> states, size_t units,
                   size_t first_column);
  // Sets the values that the sums start from, in the columns from `first_column` on; they are 0 elsewhere.
  void put_start(std::span<const float> values, size_t first_column);

  size_t scratch_floats() const { return size_t{steps_at_once_} * layout_.batch * input_weights_.columns(); }

  struct StepRows {
    uint32_t time = 0;  // of the step, in the sequence
    float* first = nullptr;
    size_t stride = 0;

    float* operator[](size_t batch_row) const { return first + batch_row * stride; }
  };
  // Computes the sums of a step. Call it for all steps from 0 to layout.steps - 1, in the order in which the direction computes
  // them. `scratch`: scratch_floats() that nobody else writes during all these calls. `states`: the states before the step, of
  // all rows of the batch.
  StepRows compute(uint32_t step, const KernelMemory& memory, float* scratch, const RecurrentFactors& states,
                   ThreadPool& threads) const;

 private:
  // Returns the time of the direction's step.
  uint32_t time_of(uint32_t step) const { return direction_.backward ? layout_.steps - 1 - step : step; }
  void multiply_inputs(uint32_t first_time, uint32_t steps, const KernelMemory& memory, float* sums, ThreadPool& threads) const;

  const SequenceLayout& layout_;
  const SequenceDirection& direction_;
  const uint32_t steps_at_once_;
  RecurrentPanels input_weights_;  // of the input, then of the auxiliary input
  RecurrentPanels state_weights_;
  AlignedBuffer<float> start_;
};

}  // namespace nnvk::cpu
