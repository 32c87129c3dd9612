// Computes the steps of the quantized LSTMs after their products, for one row of a batch, equal to the reference's integers to
// the bit. Gates and cell states are the fixed-point numbers of core/base/fixed_point_16.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/fixed_point.h"
#include "core/operations/rules/lstm_cell.h"

namespace nnvk::cpu {

// The largest number of units for which layer normalization fits in 32 bits.
inline constexpr size_t kMostNormalizedUnits = size_t{1} << 14;

// --- QUANTIZED_LSTM ---------------------------------------------------------------------------------------------------------

// A gate before its activation function. Exponents of multipliers are in [-31, 31].
struct QuantizedGate {
  size_t units = 0;
  const int32_t* input_sums = nullptr;
  const int32_t* recurrent_sums = nullptr;
  FixedPointMultiplier input;
  FixedPointMultiplier recurrent;
  const int16_t* peephole = nullptr;  // null: none
  const int16_t* cell = nullptr;      // the cell state that the peephole reads
  FixedPointMultiplier peephole_scale;
  const int16_t* gain = nullptr;  // of layer normalization; null: none
  const int32_t* bias = nullptr;  // added after it
  FixedPointMultiplier norm_scale;
  int32_t* values = nullptr;
};
void finish_quantized_gate(const QuantizedGate& gate);

// Computes the next cell state from the gates' values.
struct QuantizedCell {
  size_t units = 0;
  const int32_t* input = nullptr;  // null: one minus the forget gate
  const int32_t* forget = nullptr;
  const int32_t* candidate = nullptr;
  int integer_bits = 0;  // of the cell state
  int32_t clip = 0;
  const int16_t* before = nullptr;
  int16_t* after = nullptr;
};
void step_quantized_cell(const QuantizedCell& cell);

// The hidden state: output gate times tanh(cell), scaled, less the zero point.
struct QuantizedHidden {
  size_t units = 0;
  const int32_t* output = nullptr;
  const int16_t* cell = nullptr;
  int integer_bits = 0;
  FixedPointMultiplier scale;
  int32_t zero_point = 0;
  int8_t* hidden = nullptr;
};
void store_quantized_hidden(const QuantizedHidden& hidden);

// out[i] = the sum scaled, plus the zero point, within +-clip and 8 bits.
struct QuantizedProjection {
  size_t outputs = 0;
  const int32_t* sums = nullptr;
  FixedPointMultiplier scale;
  int32_t zero_point = 0;
  int32_t clip = 0;
  int8_t* out = nullptr;
};
void store_quantized_projection(const QuantizedProjection& projection);

// --- QUANTIZED_16BIT_LSTM ---------------------------------------------------------------------------------------------------

// Computes the next cell state and the output from the gates' sums of products.
struct Cell16bit {
  size_t units = 0;
  std::array<const int32_t*, kLstmGateCount> sums{};
  FixedPointMultiplier scale;  // to gates
  int32_t zero_point = 0;      // of the output
  const int16_t* before = nullptr;
  int16_t* after = nullptr;
  uint8_t* out = nullptr;
};
void step_16bit_cell(const Cell16bit& cell);

}  // namespace nnvk::cpu
