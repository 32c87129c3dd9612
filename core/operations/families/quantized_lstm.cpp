// QUANTIZED_16BIT_LSTM and QUANTIZED_LSTM.
#include <cmath>

#include "core/base/shortest_text.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/quantized_lstm_parameters.h"
#include "core/operations/rules/lstm_rules.h"

namespace nnvk {
namespace {
using namespace row;

// Returns the log2 of the cell state's scale, which must be a power of two; tolerates 1e-3 in the exponent.
Result<int> cell_state_exponent(float scale) {
  const double exact = std::log2(static_cast<double>(scale));
  const double rounded = std::round(exact);
  if (!(std::abs(exact - rounded) <= 1e-3)) {
    return fail(Code::kOpFailed, "the scale of the cell state must be a power of two, but is " + shortest_text(scale));
  }
  return static_cast<int>(rounded);
}

// --- QUANTIZED_16BIT_LSTM ---------------------------------------------------------------------------------------------------

// Checks the fixed scales and zero points on which the 16-bit arithmetic relies.
Status check_quantized_16bit_scales(const OperationView& operation) {
  using namespace quantized_16bit_lstm;
  constexpr float kScale = 1.0F / 128;  // of input and output
  for (const size_t i : {kInput, kOutputState}) {
    NNVK_TRY(check_quantization(operation.input(i), kScale, kZeroPoint, input_name(i)));
  }
  const OperandInfo& weights = operation.input(kInputWeights);
  for (size_t i = kInputWeights + 1; i < kBiases; ++i) {
    NNVK_TRY(check_same_quantization(weights, operation.input(i), "all weights", Code::kOpFailed));
  }
  const double bias_scale = static_cast<double>(weights.scale) / 128;
  for (size_t i = kBiases; i < kCellState; ++i) {
    if (static_cast<double>(operation.input(i).scale) != bias_scale || operation.input(i).zero_point != 0) {
      return fail(Code::kOpFailed,
                  input_name(i) + " must have scale (weight scale) / 128 = " + shortest_text(bias_scale) + " and zero point 0");
    }
  }
  const OperandInfo& cell_state = operation.input(kCellState);
  NNVK_ASSIGN(const int exponent, cell_state_exponent(cell_state.scale));
  if (exponent != -11) return fail(Code::kOpFailed, "the cell state must have scale 2^-11, has 2^" + std::to_string(exponent));
  NNVK_TRY(check_same_quantization(cell_state, operation.output(kNewCellState), "input 13 and output 0", Code::kOpFailed));
  return check_same_quantization(operation.input(kOutputState), operation.output(kOutput), "input 14 and output 1",
                                 Code::kOpFailed);
}

Shapes infer_quantized_16bit_lstm(const OperationView& operation) {
  using namespace quantized_16bit_lstm;
  const uint32_t batch = dimension_of(operation, kInput, 0);
  const uint32_t input_size = dimension_of(operation, kInput, 1);
  const uint32_t output_size = dimension_of(operation, kInputWeights, 0);
  const Shape state{batch, output_size};
  NNVK_TRY(expect_shape(operation, kInput, {batch, input_size}));
  for (size_t gate = 0; gate < kLstmGateCount; ++gate) {
    NNVK_TRY(expect_shape(operation, kInputWeights + gate, {output_size, input_size}));
    NNVK_TRY(expect_shape(operation, kRecurrentWeights + gate, {output_size, output_size}));
    NNVK_TRY(expect_shape(operation, kBiases + gate, {output_size}));
  }
  NNVK_TRY(expect_shape(operation, kCellState, {batch, output_size}));
  NNVK_TRY(expect_shape(operation, kOutputState, {batch, output_size}));
  NNVK_TRY(check_quantized_16bit_scales(operation));
  return std::vector{state, state};
}

constexpr auto kQuantized16BitTypes =
    rules<In<kT, kT, kT, kT, kT, kT, kT, kT, kT, kTensorInt32, kTensorInt32, kTensorInt32, kTensorInt32, kTensorQuant16Symm, kT>,
          Out<kTensorQuant16Symm, kT>, Since<3, kTensorQuant8Asymm>>;

// --- QUANTIZED_LSTM ---------------------------------------------------------------------------------------------------------

Shapes infer_quantized_lstm(const OperationView& operation) {
  using namespace quantized_lstm;
  NNVK_TRY(check_rank(operation, kInput, 2, 2, Code::kOpFailed));
  const uint32_t batch = dimension_of(operation, kInput, 0);
  NNVK_ASSIGN(const LstmSizes sizes, check_lstm_cell(operation, kCell, batch, dimension_of(operation, kInput, 1)));
  NNVK_ASSIGN(const int exponent, cell_state_exponent(operation.input(kCell.cell_state()).scale));
  // tanh of the cell state takes a value with 15 + exponent integer bits, and supports 0 to 6 of them.
  if (exponent > -9 || exponent < -15) {
    return fail(Code::kOpFailed, "the cell state must have a scale of 2^-15 to 2^-9, has 2^" + std::to_string(exponent));
  }
  for (size_t i = kCellClip; i <= kHiddenScale; ++i) {
    if (!operation.has(i)) return fail(Code::kOpFailed, input_name(i) + " is required but omitted");
  }
  const Shape output{batch, sizes.output_size};
  return std::vector{output, Shape{batch, sizes.units}, output};
}

constexpr std::array kQuantizedLstmTypes = {
    TypeRule{4,
             types<kTensorQuant8AsymmSigned,                                                        // input
                   kTensorQuant8Symm, kTensorQuant8Symm, kTensorQuant8Symm, kTensorQuant8Symm,      // input-to-gate weights
                   kTensorQuant8Symm, kTensorQuant8Symm, kTensorQuant8Symm, kTensorQuant8Symm,      // recurrent weights
                   kTensorQuant16Symm, kTensorQuant16Symm, kTensorQuant16Symm,                      // peepholes
                   kTensorInt32, kTensorInt32, kTensorInt32, kTensorInt32,                          // gate biases
                   kTensorQuant8Symm, kTensorInt32,                                                 // projection
                   kTensorQuant8AsymmSigned, kTensorQuant16Symm,                                    // output and cell state
                   kTensorQuant16Symm, kTensorQuant16Symm, kTensorQuant16Symm, kTensorQuant16Symm,  // layer normalization
                   kFloat32, kFloat32, kFloat32, kFloat32, kFloat32, kFloat32, kInt32, kFloat32>,   // clips, scales, hidden state
             types<kTensorQuant8AsymmSigned, kTensorQuant16Symm, kTensorQuant8AsymmSigned>},
};

constexpr auto kRows = rows<Cost::kMatrix, layout::fixed, recurrent_multiply_adds>({
    {.code = Op::kQuantized16bitLstm,
     .signatures = only<kQuantized16BitTypes>,
     .bad_operand_code = Code::kBadData,
     .infer = infer_quantized_16bit_lstm},
    {.code = Op::kQuantizedLstm,
     .signatures = only<kQuantizedLstmTypes>,
     .optional_inputs = optional_inputs(quantized_lstm::kCell),
     .infer = infer_quantized_lstm},
});

}  // namespace

std::span<const OperationDefinition> quantized_lstm_operations() { return kRows; }

}  // namespace nnvk
