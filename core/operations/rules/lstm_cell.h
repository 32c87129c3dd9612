// The operand numbers of the cells of all LSTM operations, float and quantized. Plain data.
#pragma once

#include <cstddef>

namespace nnvk {

// The gates, in the order of their operands.
inline constexpr size_t kLstmInputGate = 0;
inline constexpr size_t kLstmForgetGate = 1;
inline constexpr size_t kLstmCellGate = 2;
inline constexpr size_t kLstmOutputGate = 3;
inline constexpr size_t kLstmGateCount = 4;

// The input numbers of one cell. From the input gate's weights on, all operations have the inputs in the same order.
struct LstmCell {
  size_t weights = 0;  // the first of them
  size_t norm = 0;     // layer normalization of the input gate
  size_t state = 0;    // output state, then cell state

  constexpr size_t input_weights(size_t gate) const { return weights + gate; }
  constexpr size_t recurrent_weights(size_t gate) const { return weights + 4 + gate; }
  // Returns the input number of the weights from the cell state to this gate; the cell gate has none.
  constexpr size_t peephole(size_t gate) const { return weights + 8 + (gate == kLstmOutputGate ? 2 : gate); }
  constexpr size_t bias(size_t gate) const { return weights + 11 + gate; }
  constexpr size_t projection_weights() const { return weights + 15; }
  constexpr size_t projection_bias() const { return weights + 16; }
  constexpr size_t layer_norm(size_t gate) const { return norm + gate; }
  constexpr size_t output_state() const { return state; }
  constexpr size_t cell_state() const { return state + 1; }
};

}  // namespace nnvk
