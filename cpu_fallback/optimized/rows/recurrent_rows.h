// The computations of recurrent networks' cells in each step: products with weights packed in panels, gates, activations.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/operations/rules/lstm_cell.h"
#include "core/operations/rules/sequence_layout.h"
#include "cpu_fallback/optimized/aligned_buffer.h"

namespace nnvk::cpu {

inline constexpr size_t kPanelColumns = 64;  // outputs that are computed together
inline constexpr size_t kUnitStep = 16;      // arrays of units are padded to multiples of it: whole vectors of any width

constexpr size_t round_up(size_t value, size_t step) { return (value + step - 1) / step * step; }

// Weights for up to two input vectors: panels of kPanelColumns outputs, with a row per input value. Missing outputs are zero.
class RecurrentPanels {
 public:
  RecurrentPanels() = default;
  RecurrentPanels(size_t inputs, size_t columns);
  // Copies a [units, size] matrix into the panels, from row `first_input` and column `first_column` on.
  void put(std::span<const float> matrix, size_t units, size_t first_input, size_t first_column);

  size_t inputs() const { return inputs_; }
  size_t panels() const { return panels_; }
  size_t columns() const { return panels_ * kPanelColumns; }
  const float* panel(size_t i) const { return weights_.data() + i * inputs_ * kPanelColumns; }
  // Estimates the time for a panel: each weight is read once, from a cache far away, and multiplied for every row.
  double panel_nanoseconds(size_t rows) const {
    return (0.03 + 0.012 * static_cast<double>(rows)) * static_cast<double>(inputs_ * kPanelColumns);
  }

 private:
  size_t inputs_ = 0;
  size_t panels_ = 0;
  AlignedBuffer<float> weights_;
};

// Returns the elements of a constant float tensor; none when it is omitted.
inline std::span<const float> constant_floats(const OperandView& operand) {
  return {reinterpret_cast<const float*>(operand.value.data()), operand.value.size() / sizeof(float)};
}

// Makes a buffer of `count` zeros.
inline AlignedBuffer<float> zeros(size_t count) {
  AlignedBuffer<float> buffer(count);
  std::fill_n(buffer.data(), count, 0.0F);
  return buffer;
}

// Vectors of `size` values, one per row, `stride` values apart.
struct RecurrentFactors {
  const float* values = nullptr;
  size_t size = 0;
  size_t stride = 0;
};
// Computes sums = start + weights * (both factors, one behind the other) for every row. The result of a row does not depend on
// the number of rows. `sums` may be `start`.
struct RecurrentProduct {
  size_t rows = 1;
  std::array<RecurrentFactors, 2> factors = {};
  const float* start = nullptr;  // columns() per row
  size_t start_stride = 0;       // 0: the same for all rows
  float* sums = nullptr;         // columns() per row
  size_t sums_stride = 0;
};
void multiply_panels(const RecurrentPanels& weights, const RecurrentProduct& product, size_t first_panel, size_t end_panel);

// A gate before its activation function, with the remaining steps. Arrays consist of whole vectors.
struct LstmGate {
  float* sums = nullptr;            // null for the input gate: one minus the forget gate. Overwritten by layer normalization
  const float* peephole = nullptr;  // null: none
  const float* gain = nullptr;      // of layer normalization; null: none
  const float* bias = nullptr;      // added after it
};
// One step of an LSTM for one row of a batch: from the gates' sums to cell state and hidden values.
struct LstmStep {
  size_t units = 0;
  std::array<LstmGate, kLstmGateCount> gates;
  RecurrentActivation activation{};
  float cell_clip = 0;  // off unless greater than 0
  float* cell = nullptr;
  float* hidden = nullptr;
};
void step_lstm(const LstmStep& step);

// Computes values[i] = activation(values[i]) for a whole number of vectors.
void activate(RecurrentActivation activation, float* values, size_t count);

}  // namespace nnvk::cpu
