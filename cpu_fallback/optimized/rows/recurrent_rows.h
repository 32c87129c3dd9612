// What cells of recurrent networks compute in each step: products with weights that are packed in panels, gates, activations.
#pragma once

#include <cstddef>

#include "core/operations/rules/sequence_layout.h"
#include "cpu_fallback/optimized/aligned_buffer.h"

namespace nnvk::cpu {

inline constexpr size_t kPanelColumns = 64;  // outputs that are computed together
inline constexpr size_t kUnitStep = 16;      // vectors of units that begin there are whole

constexpr size_t round_up(size_t value, size_t step) { return (value + step - 1) / step * step; }

// Weights of a product of one or two vectors: panels of kPanelColumns outputs, each with a row per input value. Missing outputs
// are zero.
class RecurrentPanels {
 public:
  RecurrentPanels() = default;
  RecurrentPanels(size_t inputs, size_t columns);
  // Puts a [units, size] matrix at an input row and a column.
  void put(std::span<const float> matrix, size_t units, size_t first_input, size_t first_column);

  size_t inputs() const { return inputs_; }
  size_t panels() const { return panels_; }
  size_t columns() const { return panels_ * kPanelColumns; }
  const float* panel(size_t i) const { return weights_.data() + i * inputs_ * kPanelColumns; }

 private:
  size_t inputs_ = 0;
  size_t panels_ = 0;
  AlignedBuffer<float> weights_;
};

// The elements of a constant float tensor; none when it is omitted.
inline std::span<const float> constant_floats(const OperandView& operand) {
  return {reinterpret_cast<const float*>(operand.value.data()), operand.value.size() / sizeof(float)};
}

// A buffer of so many zeros.
inline AlignedBuffer<float> zeros(size_t count) {
  AlignedBuffer<float> buffer(count);
  std::fill_n(buffer.data(), count, 0.0F);
  return buffer;
}

// sums = start + weights * (first, second), one behind the other.
struct RecurrentProduct {
  const float* first = nullptr;
  size_t first_size = 0;
  const float* second = nullptr;
  size_t second_size = 0;
  const float* start = nullptr;  // columns() of them
  float* sums = nullptr;
};
void multiply_panels(const RecurrentPanels& weights, const RecurrentProduct& product, size_t first_panel, size_t end_panel);

// One step of an LSTM for one row of a batch: from the gates' sums to cell state and hidden values. Arrays have whole vectors.
struct LstmGates {
  size_t units = 0;              // rounded up
  const float* input = nullptr;  // null: one minus the forget gate
  const float* forget = nullptr;
  const float* candidate = nullptr;
  const float* output = nullptr;
  const float* input_peephole = nullptr;  // null: none; like the other two
  const float* forget_peephole = nullptr;
  const float* output_peephole = nullptr;
  RecurrentActivation activation{};
  float cell_clip = 0;  // off unless greater than 0
  float* cell = nullptr;
  float* hidden = nullptr;
};
void step_lstm(const LstmGates& gates);

// values[i] = activation(values[i]); a whole number of vectors.
void activate(RecurrentActivation activation, float* values, size_t count);

}  // namespace nnvk::cpu
