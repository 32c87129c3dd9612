// The numbers with which QUANTIZED_LSTM and QUANTIZED_16BIT_LSTM compute, derived from scales once for all devices. Pure.
#pragma once

#include <array>

#include "core/base/fixed_point.h"
#include "core/operations/operation_definition.h"
#include "core/operations/rules/lstm_cell.h"

namespace nnvk {

// The operands of QUANTIZED_LSTM outside the cell.
namespace quantized_lstm {
enum Input : size_t { kInput = 0, kCellClip = 24, kProjectionClip, kGateScales, kHiddenZeroPoint = 30, kHiddenScale };
enum Output : size_t { kNewOutputState, kNewCellState, kOutput };
inline constexpr LstmCell kCell{.weights = 1, .norm = 20, .state = 18};
}  // namespace quantized_lstm

// The operands of QUANTIZED_16BIT_LSTM. Weights and biases are named for the input gate; those of the other gates follow.
namespace quantized_16bit_lstm {
enum Input : size_t { kInput, kInputWeights, kRecurrentWeights = 5, kBiases = 9, kCellState = 13, kOutputState };
enum Output : size_t { kNewCellState, kOutput };
inline constexpr int32_t kZeroPoint = 128;  // of input and output
}  // namespace quantized_16bit_lstm

struct QuantizedLstmGate {
  bool present = true;  // false: the input gate is coupled to the forget gate
  bool has_peephole = false;
  FixedPointMultiplier input;  // from sums of input times weights to the gate's scale; `recurrent`, `peephole`: likewise
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

// Decodes a QUANTIZED_LSTM that infer() has accepted. OP_FAILED if a scalar is unknown.
Result<QuantizedLstmParameters> quantized_lstm_parameters(const OperationView& operation);

struct Quantized16bitLstmParameters {
  uint32_t batches = 0;
  uint32_t input_size = 0;
  uint32_t units = 0;
  int32_t weight_zero_point = 0;
  FixedPointMultiplier multiplier;  // sums to F3: 4096 * scale of the biases
};

// Decodes a QUANTIZED_16BIT_LSTM whose shapes are known and which infer() has accepted.
Quantized16bitLstmParameters quantized_16bit_lstm_parameters(const OperationView& operation);

}  // namespace nnvk
