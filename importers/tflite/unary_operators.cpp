// Operators on one tensor, element by element, and those along one dimension that NNAPI treats alike (SOFTMAX).
#include <fmt/format.h>

#include <array>

#include "importers/tflite/constants.h"
#include "importers/tflite/operator_parts.h"
#include "tools/nnapi/half.h"

namespace nnvk::importers::tflite {
namespace {

// Emits an operation whose 8-bit form NNAPI has, with a quantization of the output's own.
template <int32_t kCode>
Status emit_unary(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t input, emitter.input(op, 0));
  return emit_to_output(emitter, op, kCode, {input});
}

// Emits an operation that NNAPI has for real numbers only (ABS and NEG also for integers); `scalars` follow the tensor.
Status emit_real_function(Emitter& emitter, const Operator& op, int32_t code, std::initializer_list<float> scalars = {}) {
  TOOLS_ASSIGN(const uint32_t input, emitter.input(op, 0));
  const int32_t type = emitter.builder().operand(input).type;
  std::vector<uint32_t> inputs{input};
  TOOLS_TRY(append_reals(emitter, inputs, type, scalars));
  if (is_quant8(type)) return emitter.emit_in_float(op, code, inputs, 1);
  return emit_to_output(emitter, op, code, inputs);
}

template <int32_t kCode>
Status emit_real(Emitter& emitter, const Operator& op) {
  return emit_real_function(emitter, op, kCode);
}

Status emit_elu(Emitter& emitter, const Operator& op) { return emit_real_function(emitter, op, ANEURALNETWORKS_ELU, {1.0F}); }

// Emits an operation of one input, whose output has the same quantization.
template <int32_t kCode>
Status emit_clamp(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t input, emitter.input(op, 0));
  return emitter.emit_same_quantization(op, kCode, {input});
}

template <int32_t kCode>
Status emit_fixed(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t input, emitter.input(op, 0));
  return emit_fixed_output(emitter, op, kCode, {input});
}

Status emit_softmax(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<SoftmaxOptions>(op));
  TOOLS_ASSIGN(const uint32_t input, emitter.input(op, 0));
  std::vector<uint32_t> inputs{input};
  TOOLS_TRY(append_reals(emitter, inputs, emitter.builder().operand(input).type, {settings->beta}));
  return emit_fixed_output(emitter, op, ANEURALNETWORKS_SOFTMAX, inputs);
}

Status emit_log_softmax(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t input, emitter.input(op, 0));
  const int32_t type = emitter.builder().operand(input).type;
  std::vector<uint32_t> inputs{input};
  TOOLS_TRY(append_reals(emitter, inputs, type, {1.0F}));
  TOOLS_TRY(append(emitter, inputs, {-1}));
  if (is_quant8(type)) return emitter.emit_in_float(op, ANEURALNETWORKS_LOG_SOFTMAX, inputs, 1);
  return emit_to_output(emitter, op, ANEURALNETWORKS_LOG_SOFTMAX, inputs);
}

// The input in float, and the type and shape with which a composition of real operations computes.
struct RealInput {
  uint32_t operand = 0;
  OperandInfo info;
  bool quantized = false;
};

Result<RealInput> real_data(Emitter& emitter, const Operator& op) {
  RealInput data;
  TOOLS_ASSIGN(data.operand, emitter.input(op, 0));
  data.quantized = is_quant8(emitter.builder().operand(data.operand).type);
  if (data.quantized) {
    TOOLS_ASSIGN(data.operand, emitter.dequantized(op, data.operand));
  }
  data.info = emitter.builder().operand(data.operand);
  return data;
}

// Emits the last operation of a composition: writes output 0, quantized if the input was.
Status finish_real(Emitter& emitter, const Operator& op, const RealInput& data, int32_t code,
                   const std::vector<uint32_t>& inputs) {
  if (!data.quantized) return emit_to_output(emitter, op, code, inputs);
  TOOLS_ASSIGN(const uint32_t real, emitter.emit_temporary(op, code, inputs, data.info));
  return emitter.real_to_output(op, real);
}

// Adds a constant tensor of one real number, in the type of `data`.
Result<uint32_t> real_number(Emitter& emitter, const RealInput& data, float value) {
  OperandInfo info{.type = data.info.type, .dimensions = {1}};
  TOOLS_ASSIGN(const uint32_t operand, emitter.builder().add_operand(info));
  if (info.type == ANEURALNETWORKS_TENSOR_FLOAT16) {
    const uint16_t bits = tools::float_to_half(value);
    TOOLS_TRY(emitter.builder().set_owned_value(operand, {static_cast<uint8_t>(bits & 0xff), static_cast<uint8_t>(bits >> 8)}));
  } else {
    TOOLS_TRY(emitter.builder().set_owned_value(operand, bytes_of(std::vector<float>{value})));
  }
  return operand;
}

Status emit_ceil(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const RealInput data, real_data(emitter, op));
  TOOLS_ASSIGN(const uint32_t negated, emitter.emit_temporary(op, ANEURALNETWORKS_NEG, std::span(&data.operand, 1), data.info));
  TOOLS_ASSIGN(const uint32_t floor, emitter.emit_temporary(op, ANEURALNETWORKS_FLOOR, std::span(&negated, 1), data.info));
  return finish_real(emitter, op, data, ANEURALNETWORKS_NEG, {floor});
}

Status emit_leaky_relu(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<LeakyReluOptions>(op));
  TOOLS_ASSIGN(const RealInput data, real_data(emitter, op));
  TOOLS_ASSIGN(const uint32_t alpha, real_number(emitter, data, settings->alpha));
  return finish_real(emitter, op, data, ANEURALNETWORKS_PRELU, {data.operand, alpha});
}

Status emit_relu_0_to_1(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const RealInput data, real_data(emitter, op));
  TOOLS_ASSIGN(const uint32_t zero, real_number(emitter, data, 0));
  TOOLS_ASSIGN(const uint32_t one, real_number(emitter, data, 1));
  TOOLS_ASSIGN(const uint32_t above,
               emitter.emit_temporary(op, ANEURALNETWORKS_MAXIMUM, std::vector<uint32_t>{data.operand, zero}, data.info));
  return finish_real(emitter, op, data, ANEURALNETWORKS_MINIMUM, {above, one});
}

// Emits 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), the approximation that the file requests.
Status emit_gelu(Emitter& emitter, const Operator& op) {
  if (!options_or_defaults<GeluOptions>(op).approximate) return fail(op.where + ": NNAPI has no error function");
  TOOLS_ASSIGN(const RealInput data, real_data(emitter, op));
  const auto fused = [&](int32_t code, uint32_t a, uint32_t b) -> Result<uint32_t> {
    std::vector<uint32_t> inputs{a, b};
    TOOLS_TRY(append(emitter, inputs, {ANEURALNETWORKS_FUSED_NONE}));
    return emitter.emit_temporary(op, code, inputs, data.info);
  };
  const uint32_t x = data.operand;
  TOOLS_ASSIGN(const uint32_t cubic, real_number(emitter, data, 0.044715F));
  TOOLS_ASSIGN(const uint32_t factor, real_number(emitter, data, 0.7978845608F));
  TOOLS_ASSIGN(const uint32_t one, real_number(emitter, data, 1));
  TOOLS_ASSIGN(const uint32_t half, real_number(emitter, data, 0.5F));
  TOOLS_ASSIGN(const uint32_t square, fused(ANEURALNETWORKS_MUL, x, x));
  TOOLS_ASSIGN(const uint32_t scaled, fused(ANEURALNETWORKS_MUL, square, cubic));
  TOOLS_ASSIGN(const uint32_t bent, fused(ANEURALNETWORKS_ADD, scaled, one));
  TOOLS_ASSIGN(const uint32_t product, fused(ANEURALNETWORKS_MUL, bent, x));
  TOOLS_ASSIGN(const uint32_t argument, fused(ANEURALNETWORKS_MUL, product, factor));
  TOOLS_ASSIGN(const uint32_t tanh, emitter.emit_temporary(op, ANEURALNETWORKS_TANH, std::span(&argument, 1), data.info));
  TOOLS_ASSIGN(const uint32_t gate, fused(ANEURALNETWORKS_ADD, tanh, one));
  TOOLS_ASSIGN(const uint32_t halved, fused(ANEURALNETWORKS_MUL, x, half));
  std::vector<uint32_t> inputs{gate, halved};
  TOOLS_TRY(append(emitter, inputs, {ANEURALNETWORKS_FUSED_NONE}));
  return finish_real(emitter, op, data, ANEURALNETWORKS_MUL, inputs);
}

// Emits CAST to and from BOOL, which NNAPI's CAST does not have. To BOOL: whether a number is not 0. From BOOL: 1 or 0.
Status emit_cast(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t input, emitter.input(op, 0));
  const OperandInfo from = emitter.builder().operand(input);
  TOOLS_ASSIGN(const OperandInfo to, emitter.operand_info(op.outputs[0]));
  const bool is_same = from.type == to.type;
  if (to.type == ANEURALNETWORKS_TENSOR_BOOL8 && !is_same) {
    // A quantized input counts as plain integers, as in any cast.
    TOOLS_ASSIGN(const uint32_t zero, emitter.zeros({.type = from.type, .dimensions = {1}, .scale = from.scale}));
    if (from.zero_point != 0) return fail(op.where + ": it can cast quantized numbers to BOOL8 only if their zero point is 0");
    return emit_to_output(emitter, op, ANEURALNETWORKS_NOT_EQUAL, {input, zero});
  }
  if (from.type == ANEURALNETWORKS_TENSOR_BOOL8 && !is_same) {
    if (is_quant8(to.type)) return fail(op.where + ": NNAPI cannot cast BOOL8 to 8-bit numbers");
    TOOLS_TRY(check_closed(op, from.dimensions));
    TOOLS_ASSIGN(const uint32_t shape, shape_constant(emitter, op, from.dimensions));
    std::vector<uint32_t> inputs{input};
    for (const int32_t value : {1, 0}) {
      std::vector<uint32_t> fill{shape};
      if (to.type == ANEURALNETWORKS_TENSOR_INT32) {
        TOOLS_TRY(append(emitter, fill, {value}));
      } else {
        TOOLS_TRY(append_reals(emitter, fill, to.type, {static_cast<float>(value)}));
      }
      TOOLS_ASSIGN(const uint32_t filled,
                   emitter.emit_temporary(op, ANEURALNETWORKS_FILL, fill, {.type = to.type, .dimensions = from.dimensions}));
      inputs.push_back(filled);
    }
    return emit_to_output(emitter, op, ANEURALNETWORKS_SELECT, inputs);
  }
  if (from.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED && !is_same) {
    if (from.scale != 1.0F || from.zero_point != 0)
      return fail(op.where + ": NNAPI can cast int8 only with scale 1 and zero point 0");
    TOOLS_ASSIGN(const uint32_t real, emitter.dequantized(op, input));  // scale 1: the integers themselves
    return emit_to_output(emitter, op, ANEURALNETWORKS_CAST, {real});
  }
  return emit_to_output(emitter, op, ANEURALNETWORKS_CAST, {input});
}

Status emit_quantize(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(uint32_t data, emitter.input(op, 0));
  if (is_quant8(emitter.builder().operand(data).type)) {  // from one quantization to another
    TOOLS_ASSIGN(data, emitter.dequantized(op, data));
  }
  return emit_to_output(emitter, op, ANEURALNETWORKS_QUANTIZE, {data});
}

Status emit_dequantize(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  // Files with float16 weights widen them at run time. In NNAPI that is a cast, which compilation folds.
  const bool widens = emitter.builder().operand(data).type == ANEURALNETWORKS_TENSOR_FLOAT16;
  return emit_to_output(emitter, op, widens ? ANEURALNETWORKS_CAST : ANEURALNETWORKS_DEQUANTIZE, {data});
}

constexpr auto kRows = std::to_array<Row>({
    {format::BuiltinOperator_ABS, emit_real<ANEURALNETWORKS_ABS>},
    {format::BuiltinOperator_NEG, emit_real<ANEURALNETWORKS_NEG>},
    {format::BuiltinOperator_EXP, emit_real<ANEURALNETWORKS_EXP>},
    {format::BuiltinOperator_LOG, emit_real<ANEURALNETWORKS_LOG>},
    {format::BuiltinOperator_SIN, emit_real<ANEURALNETWORKS_SIN>},
    {format::BuiltinOperator_SQRT, emit_real<ANEURALNETWORKS_SQRT>},
    {format::BuiltinOperator_RSQRT, emit_real<ANEURALNETWORKS_RSQRT>},
    {format::BuiltinOperator_FLOOR, emit_real<ANEURALNETWORKS_FLOOR>},
    {format::BuiltinOperator_CEIL, emit_ceil},
    {format::BuiltinOperator_ELU, emit_elu},
    {format::BuiltinOperator_GELU, emit_gelu},
    {format::BuiltinOperator_LEAKY_RELU, emit_leaky_relu},
    {format::BuiltinOperator_RELU, emit_clamp<ANEURALNETWORKS_RELU>},
    {format::BuiltinOperator_RELU_N1_TO_1, emit_clamp<ANEURALNETWORKS_RELU1>},
    {format::BuiltinOperator_RELU6, emit_clamp<ANEURALNETWORKS_RELU6>},
    {format::BuiltinOperator_RELU_0_TO_1, emit_relu_0_to_1},
    {format::BuiltinOperator_HARD_SWISH, emit_unary<ANEURALNETWORKS_HARD_SWISH>},
    {format::BuiltinOperator_LOGISTIC, emit_fixed<ANEURALNETWORKS_LOGISTIC>},
    {format::BuiltinOperator_TANH, emit_fixed<ANEURALNETWORKS_TANH>},
    {format::BuiltinOperator_SOFTMAX, emit_softmax},
    {format::BuiltinOperator_LOG_SOFTMAX, emit_log_softmax},
    {format::BuiltinOperator_CAST, emit_cast},
    {format::BuiltinOperator_QUANTIZE, emit_quantize},
    {format::BuiltinOperator_DEQUANTIZE, emit_dequantize},
});

}  // namespace

std::span<const Row> unary_operators() { return kRows; }

}  // namespace nnvk::importers::tflite
