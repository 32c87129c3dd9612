// The numbers that QUANTIZED_LSTM and QUANTIZED_16BIT_LSTM compute with, derived from scales once for all devices. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/fixed_point.h"
#include "core/base/result.h"
#include "core/operations/operation_definition.h"

namespace nnvk {

// Gates in the order of their operands.
inline constexpr size_t kLstmInputGate = 0;
inline constexpr size_t kLstmForgetGate = 1;
inline constexpr size_t kLstmCellGate = 2;
inline constexpr size_t kLstmOutputGate = 3;
inline constexpr size_t kLstmGateCount = 4;

// Operands of QUANTIZED_LSTM; those with gates are the input gate's.
namespace quantized_lstm {
inline constexpr size_t kInput = 0;
inline constexpr size_t kInputWeights = 1;
inline constexpr size_t kRecurrentWeights = 5;
inline constexpr size_t kPeepholes = 9;  // input, forget, output: there is none for the cell gate
inline constexpr size_t kBias = 12;
inline constexpr size_t kProjectionWeights = 16;
inline constexpr size_t kProjectionBias = 17;
inline constexpr size_t kOutputState = 18;
inline constexpr size_t kCellState = 19;
inline constexpr size_t kLayerNorm = 20;
// Operand of a gate's peephole weights; not for kLstmCellGate.
constexpr size_t peephole(size_t gate) { return kPeepholes + (gate == kLstmOutputGate ? 2 : gate); }
}  // namespace quantized_lstm

struct QuantizedLstmGate {
  bool present = true;  // false: the input gate is coupled to the forget gate
  bool has_peephole = false;
  FixedPointMultiplier input;  // products to the gate's scale
  FixedPointMultiplier recurrent;
  FixedPointMultiplier peephole;
  FixedPointMultiplier layer_norm;  // exponent raised by the 12 bits that normalized values carry
};

struct QuantizedLstmParameters {
  uint32_t batches = 0;
  uint32_t input_size = 0;
  uint32_t units = 0;
  uint32_t output_size = 0;
  std::array<QuantizedLstmGate, kLstmGateCount> gates;
  bool has_layer_norm = false;
  bool has_projection = false;
  int32_t cell_integer_bits = 4;  // the cell state is F(this), 0..6
  int32_t cell_clip = 32767;      // the cell state stays within +-cell_clip
  FixedPointMultiplier hidden;    // output gate * tanh(cell) to the hidden state
  int32_t hidden_zero_point = 0;  // int8
  FixedPointMultiplier projection;
  int32_t output_zero_point = 0;
  int32_t projection_clip = 128;  // projected values stay within +-projection_clip, and in int8
};

// Decodes a QUANTIZED_LSTM that passed inference. OP_FAILED when a scalar is unknown.
Result<QuantizedLstmParameters> quantized_lstm_parameters(const OperationView& operation);

// Sums of QUANTIZED_16BIT_LSTM to F3: 4096 * scale of the biases.
FixedPointMultiplier quantized_16bit_lstm_multiplier(float bias_scale);

}  // namespace nnvk
