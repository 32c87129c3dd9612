// Recurrent cells, one time step per execution: LSTM, QUANTIZED_16BIT_LSTM, QUANTIZED_LSTM, RNN, SVDF.
#include <cmath>

#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/rules/lstm_rules.h"
#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {
using namespace row;

// Rounded log2 of a scale that must be a power of two (within 1e-3 of the exponent).
Result<int> power_of_two(float scale, const char* what) {
  const double exact = std::log2(static_cast<double>(scale));
  const double rounded = std::round(exact);
  if (!(std::abs(exact - rounded) <= 1e-3)) {
    return fail(Code::kOpFailed, std::string("the scale of ") + what + " must be a power of two, is " + std::to_string(scale));
  }
  return static_cast<int>(rounded);
}

// --- LSTM -------------------------------------------------------------------------------------------------------------------

Result<std::vector<Shape>> infer_lstm(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 0, 2, SIZE_MAX, Code::kOpFailed));
  const uint32_t batch = dimension_of(operation, 0, 0);
  NNVK_ASSIGN(const LstmSizes sizes, check_lstm_cell(operation, kSingleStepCell, batch, dimension_of(operation, 0, 1)));
  NNVK_TRY(check_recurrent_activation(operation, 20));
  NNVK_TRY(expect_not_negative(operation, 21));
  NNVK_TRY(expect_not_negative(operation, 22));
  const Shape output{batch, sizes.output_size};
  Shape scratch{batch, kUnknownDimension};
  if (sizes.input_gate != Presence::kUncertain) {
    scratch.dims[1] = multiply_dimensions(sizes.units, sizes.input_gate == Presence::kGiven ? 4 : 3);
  }
  return std::vector{scratch, output, Shape{batch, sizes.units}, output};
}

// 20 tensors of one type, activation, two clip values, then four layer-norm tensors.
template <OperandType kT, OperandType kScalar>
constexpr auto kLstmInputs = types<kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kInt32,
                                   kScalar, kScalar, kT, kT, kT, kT>;
template <OperandType kT, OperandType kScalar>
constexpr TypeRule lstm_rule(int since) {
  return {since, kLstmInputs<kT, kScalar>, types<kT, kT, kT, kT>};
}
constexpr TypeRule kLstmTypes[] = {lstm_rule<kTensorFloat32, kFloat32>(1), lstm_rule<kTensorFloat16, kFloat16>(3)};
constexpr Signature kLstm[] = {
    {"default", 1, counts<23>, 4, kLstmTypes},
    {"with layer normalization", 3, counts<27>, 4, kLstmTypes},
};

// --- QUANTIZED_16BIT_LSTM ---------------------------------------------------------------------------------------------------

constexpr float kQuantized16BitScale = 1.0F / 128;  // of input and output
constexpr int32_t kQuantized16BitZeroPoint = 128;

// The fixed scales and zero points that the 16-bit arithmetic is built on.
Status check_quantized_16bit_scales(const OperationView& operation) {
  for (const size_t i : {size_t{0}, size_t{14}}) {
    NNVK_TRY(
        check_quantization(operation.input(i), kQuantized16BitScale, kQuantized16BitZeroPoint, input_name(i), Code::kOpFailed));
  }
  for (size_t i = 2; i <= 8; ++i) {
    NNVK_TRY(check_same_quantization(operation.input(1), operation.input(i), "all weights", Code::kOpFailed));
  }
  const double bias_scale = static_cast<double>(operation.input(1).scale) / 128;
  for (size_t i = 9; i <= 12; ++i) {
    if (static_cast<double>(operation.input(i).scale) != bias_scale || operation.input(i).zero_point != 0) {
      return fail(Code::kOpFailed,
                  input_name(i) + " must have scale (weight scale) / 128 = " + std::to_string(bias_scale) + " and zero point 0");
    }
  }
  NNVK_ASSIGN(const int exponent, power_of_two(operation.input(13).scale, "the cell state"));
  if (exponent != -11) return fail(Code::kOpFailed, "the cell state must have scale 2^-11, has 2^" + std::to_string(exponent));
  NNVK_TRY(check_same_quantization(operation.input(13), *operation.outputs[0], "input 13 and output 0", Code::kOpFailed));
  return check_same_quantization(operation.input(14), *operation.outputs[1], "input 14 and output 1", Code::kOpFailed);
}

Result<std::vector<Shape>> infer_quantized_16bit_lstm(const OperationView& operation) {
  const uint32_t batch = dimension_of(operation, 0, 0);
  const uint32_t input_size = dimension_of(operation, 0, 1);
  const uint32_t output_size = dimension_of(operation, 1, 0);
  NNVK_TRY(expect_shape(operation, 0, {batch, input_size}));
  for (size_t i = 1; i <= 4; ++i) NNVK_TRY(expect_shape(operation, i, {output_size, input_size}));
  for (size_t i = 5; i <= 8; ++i) NNVK_TRY(expect_shape(operation, i, {output_size, output_size}));
  for (size_t i = 9; i <= 12; ++i) NNVK_TRY(expect_shape(operation, i, {output_size}));
  NNVK_TRY(expect_shape(operation, 13, {batch, output_size}));
  NNVK_TRY(expect_shape(operation, 14, {batch, output_size}));
  NNVK_TRY(check_quantized_16bit_scales(operation));
  const Shape state{batch, output_size};
  return std::vector{state, state};
}

constexpr TypeRule kQuantized16BitTypes[] = {
    {3,
     types<kTensorQuant8Asymm, kTensorQuant8Asymm, kTensorQuant8Asymm, kTensorQuant8Asymm, kTensorQuant8Asymm, kTensorQuant8Asymm,
           kTensorQuant8Asymm, kTensorQuant8Asymm, kTensorQuant8Asymm, kTensorInt32, kTensorInt32, kTensorInt32, kTensorInt32,
           kTensorQuant16Symm, kTensorQuant8Asymm>,
     types<kTensorQuant16Symm, kTensorQuant8Asymm>},
};
constexpr Signature kQuantized16Bit[] = {{"default", 3, counts<15>, 2, kQuantized16BitTypes}};

// --- QUANTIZED_LSTM ---------------------------------------------------------------------------------------------------------

Result<std::vector<Shape>> infer_quantized_lstm(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 0, 2, 2, Code::kOpFailed));
  const uint32_t batch = dimension_of(operation, 0, 0);
  NNVK_ASSIGN(const LstmSizes sizes,
              check_lstm_cell(operation, {.weights = 1, .layer_norm = 20, .state = 18}, batch, dimension_of(operation, 0, 1)));
  NNVK_ASSIGN(const int exponent, power_of_two(operation.input(19).scale, "the cell state"));
  // The tanh of the cell takes 15 + exponent integer bits, of which it knows 0 to 6.
  if (exponent > -9 || exponent < -15) {
    return fail(Code::kOpFailed, "the cell state must have a scale of 2^-15 to 2^-9, has 2^" + std::to_string(exponent));
  }
  for (size_t i = 24; i <= 31; ++i) {
    if (!operation.has(i)) return fail(Code::kOpFailed, input_name(i) + " is required but omitted");
  }
  const Shape output{batch, sizes.output_size};
  return std::vector{output, Shape{batch, sizes.units}, output};
}

constexpr TypeRule kQuantizedLstmTypes[] = {
    {4,
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
constexpr Signature kQuantizedLstm[] = {{"default", 4, counts<32>, 3, kQuantizedLstmTypes}};

// --- RNN, SVDF --------------------------------------------------------------------------------------------------------------

Result<std::vector<Shape>> infer_rnn(const OperationView& operation) {
  const uint32_t batch = dimension_of(operation, 0, 0);
  const uint32_t units = dimension_of(operation, 1, 0);
  NNVK_TRY(check_rank(operation, 0, 2, 2, Code::kOpFailed));
  NNVK_TRY(expect_shape(operation, 1, {units, dimension_of(operation, 0, 1)}));
  NNVK_TRY(expect_shape(operation, 2, {units, units}));
  NNVK_TRY(expect_shape(operation, 3, {units}));
  NNVK_TRY(expect_shape(operation, 4, {batch, units}));
  NNVK_TRY(check_recurrent_activation(operation, 5));
  const Shape state{batch, units};
  return std::vector{state, state};
}

constexpr TypeRule kRnnTypes[] = {
    {1, types<kTensorFloat32, kTensorFloat32, kTensorFloat32, kTensorFloat32, kTensorFloat32, kInt32>,
     types<kTensorFloat32, kTensorFloat32>},
    {3, types<kTensorFloat16, kTensorFloat16, kTensorFloat16, kTensorFloat16, kTensorFloat16, kInt32>,
     types<kTensorFloat16, kTensorFloat16>},
};
constexpr Signature kRnn[] = {{"default", 1, counts<6>, 2, kRnnTypes}};

Result<std::vector<Shape>> infer_svdf(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 0, 2, 2, Code::kOpFailed));
  NNVK_TRY(check_rank(operation, 2, 2, 2, Code::kOpFailed));
  NNVK_TRY(expect_int_at_least(operation, 5, 1));
  NNVK_TRY(check_activation(operation.scalar<int32_t>(6)));
  const uint32_t batch = dimension_of(operation, 0, 0);
  const uint32_t filters = dimension_of(operation, 1, 0);
  const uint32_t memory = dimension_of(operation, 2, 1);
  const auto rank = operation.scalar<int32_t>(5);
  uint32_t units = kUnknownDimension;
  if (rank && is_known(filters)) {
    if (filters % static_cast<uint32_t>(*rank) != 0) {
      return fail(Code::kOpFailed, std::to_string(filters) + " filters are no multiple of the rank " + std::to_string(*rank));
    }
    units = filters / static_cast<uint32_t>(*rank);
  }
  const uint32_t state = is_known(memory) && is_known(filters) ? multiply_dimensions(memory, filters) : kUnknownDimension;
  NNVK_TRY(expect_shape(operation, 1, {filters, dimension_of(operation, 0, 1)}));
  NNVK_TRY(expect_shape(operation, 2, {filters, memory}));
  NNVK_TRY(expect_optional_shape(operation, 3, {units}));
  NNVK_TRY(expect_shape(operation, 4, {batch, state}));
  return std::vector{Shape{batch, state}, Shape{batch, units}};
}

constexpr TypeRule kSvdfTypes[] = {
    {1, types<kTensorFloat32, kTensorFloat32, kTensorFloat32, kTensorFloat32, kTensorFloat32, kInt32, kInt32>,
     types<kTensorFloat32, kTensorFloat32>},
    {3, types<kTensorFloat16, kTensorFloat16, kTensorFloat16, kTensorFloat16, kTensorFloat16, kInt32, kInt32>,
     types<kTensorFloat16, kTensorFloat16>},
};
constexpr Signature kSvdf[] = {{"default", 1, counts<7>, 2, kSvdfTypes}};

}  // namespace

std::span<const OperationDefinition> recurrent_operations() {
  static const OperationDefinition rows[] = {
      {.code = OperationCode::kLstm,
       .since = 1,
       .signatures = kLstm,
       .optional_inputs = bits(1, 5, 9, 10, 11, 12, 16, 17, 23, 24, 25, 26),
       .infer = infer_lstm},
      {.code = OperationCode::kQuantized16bitLstm,
       .since = 3,
       .signatures = kQuantized16Bit,
       .bad_operand_code = Code::kBadData,
       .infer = infer_quantized_16bit_lstm},
      {.code = OperationCode::kQuantizedLstm,
       .since = 4,
       .signatures = kQuantizedLstm,
       .optional_inputs = bits(1, 5, 9, 10, 11, 12, 16, 17, 20, 21, 22, 23),
       .infer = infer_quantized_lstm},
      {.code = OperationCode::kRnn, .since = 1, .signatures = kRnn, .bad_operand_code = Code::kBadData, .infer = infer_rnn},
      {.code = OperationCode::kSvdf, .since = 1, .signatures = kSvdf, .optional_inputs = bits(3), .infer = infer_svdf},
  };
  return rows;
}

}  // namespace nnvk
