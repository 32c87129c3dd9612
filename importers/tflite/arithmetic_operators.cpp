// Operators on two tensors that are broadcast to each other.
#include <fmt/format.h>

#include <array>

#include "importers/tflite/operator_parts.h"

namespace nnvk::importers::tflite {
namespace {

// Writes output 0: `code` of two operands, with an activation.
Status emit_arithmetic(Emitter& emitter, const Operator& op, int32_t code, std::array<uint32_t, 2> operands) {
  const auto activation = options_or_defaults<ActivationOptions>(op).activation;
  std::vector<uint32_t> inputs(operands.begin(), operands.end());
  const OperandInfo a = emitter.builder().operand(operands[0]);
  const OperandInfo b = emitter.builder().operand(operands[1]);
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  // NNAPI has no 8-bit DIV, and its 8-bit MUL requires an output scale above the product of the input scales.
  const bool in_float =
      is_quant8(out.type) && (code == ANEURALNETWORKS_DIV || (code == ANEURALNETWORKS_MUL && out.scale <= a.scale * b.scale));
  if (in_float) {
    if (activation == format::Activation_TANH || activation == format::Activation_SIGN_BIT) {
      return fail(op.where + ": the importer does not support this activation on 8-bit data");
    }
    TOOLS_TRY(append(emitter, inputs, {static_cast<int32_t>(activation)}));  // NONE to RELU6 have NNAPI's numbers
    return emitter.emit_in_float(op, code, std::move(inputs), 2);
  }
  TOOLS_ASSIGN(const Activated activated, Activated::begin(emitter, op, activation));
  TOOLS_TRY(append(emitter, inputs, {activated.fuse_code()}));
  return emit_activated(emitter, op, code, inputs, activated);
}

Result<std::array<uint32_t, 2>> both_inputs(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t a, emitter.input(op, 0));
  TOOLS_ASSIGN(const uint32_t b, emitter.input(op, 1));
  return std::array{a, b};
}

// Emits ADD, SUB, MUL or DIV.
template <int32_t kCode>
Status emit_binary(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto operands, both_inputs(emitter, op));
  return emit_arithmetic(emitter, op, kCode, operands);
}

Status emit_square(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  return emit_arithmetic(emitter, op, ANEURALNETWORKS_MUL, {data, data});
}

// Emits an operation on two real or integer operands with FUSED_NONE, as a temporary.
Result<uint32_t> combined(Emitter& emitter, const Operator& op, int32_t code, std::array<uint32_t, 2> operands,
                          const OperandInfo& info) {
  std::vector<uint32_t> inputs(operands.begin(), operands.end());
  TOOLS_TRY(append(emitter, inputs, {ANEURALNETWORKS_FUSED_NONE}));
  return emitter.emit_temporary(op, code, inputs, info);
}

// Returns the type and shape with which a composed operator computes: those of output 0, in float if it is 8-bit.
Result<OperandInfo> composed_info(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(OperandInfo info, emitter.operand_info(op.outputs[0]));
  if (is_quant8(info.type)) info = {.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = info.dimensions};
  return info;
}

Status emit_squared_difference(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(auto operands, both_inputs(emitter, op));
  TOOLS_ASSIGN(const OperandInfo info, composed_info(emitter, op));
  const bool quantized = is_quant8(emitter.builder().operand(operands[0]).type);
  if (quantized) {
    for (uint32_t& operand : operands) {
      TOOLS_ASSIGN(operand, emitter.dequantized(op, operand));
    }
  }
  TOOLS_ASSIGN(const uint32_t difference, combined(emitter, op, ANEURALNETWORKS_SUB, operands, info));
  if (!quantized) return emit_arithmetic(emitter, op, ANEURALNETWORKS_MUL, {difference, difference});
  TOOLS_ASSIGN(const uint32_t square, combined(emitter, op, ANEURALNETWORKS_MUL, {difference, difference}, info));
  return emitter.real_to_output(op, square);
}

Status emit_floor_div(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto operands, both_inputs(emitter, op));
  TOOLS_ASSIGN(const OperandInfo info, emitter.operand_info(op.outputs[0]));
  // NNAPI's DIV of integers rounds down.
  if (info.type == ANEURALNETWORKS_TENSOR_INT32) return emit_arithmetic(emitter, op, ANEURALNETWORKS_DIV, operands);
  TOOLS_ASSIGN(const uint32_t quotient, combined(emitter, op, ANEURALNETWORKS_DIV, operands, info));
  return emit_to_output(emitter, op, ANEURALNETWORKS_FLOOR, {quotient});
}

// Emits a - floor(a / b) * b: the remainder has the divisor's sign.
Status emit_floor_mod(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto operands, both_inputs(emitter, op));
  TOOLS_ASSIGN(const OperandInfo info, emitter.operand_info(op.outputs[0]));
  TOOLS_ASSIGN(uint32_t quotient, combined(emitter, op, ANEURALNETWORKS_DIV, operands, info));
  if (info.type != ANEURALNETWORKS_TENSOR_INT32) {
    TOOLS_ASSIGN(quotient, emitter.emit_temporary(op, ANEURALNETWORKS_FLOOR, std::span(&quotient, 1), info));
  }
  TOOLS_ASSIGN(const uint32_t multiple, combined(emitter, op, ANEURALNETWORKS_MUL, {quotient, operands[1]}, info));
  return emit_arithmetic(emitter, op, ANEURALNETWORKS_SUB, {operands[0], multiple});
}

Status emit_add_n(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const std::vector<uint32_t> terms, emitter.inputs_from(op, 0));
  TOOLS_ASSIGN(const OperandInfo info, emitter.operand_info(op.outputs[0]));
  if (terms.size() == 1) return reshape_to_output(emitter, op, terms[0], 0);
  uint32_t sum = terms[0];
  for (size_t i = 1; i + 1 < terms.size(); ++i) {
    TOOLS_ASSIGN(sum, combined(emitter, op, ANEURALNETWORKS_ADD, {sum, terms[i]}, info));
  }
  return emit_arithmetic(emitter, op, ANEURALNETWORKS_ADD, {sum, terms.back()});
}

// Emits MAXIMUM, MINIMUM, or POW of real numbers, which have no activation.
template <int32_t kCode>
Status emit_plain_binary(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto operands, both_inputs(emitter, op));
  return emit_to_output(emitter, op, kCode, {operands[0], operands[1]});
}

Status emit_prelu(Emitter& emitter, const Operator& op) { return emit_plain_binary<ANEURALNETWORKS_PRELU>(emitter, op); }

constexpr auto kRows = std::to_array<Row>({
    {format::BuiltinOperator_ADD, emit_binary<ANEURALNETWORKS_ADD>, 2},
    {format::BuiltinOperator_SUB, emit_binary<ANEURALNETWORKS_SUB>, 2},
    {format::BuiltinOperator_MUL, emit_binary<ANEURALNETWORKS_MUL>, 2},
    {format::BuiltinOperator_DIV, emit_binary<ANEURALNETWORKS_DIV>, 2},
    {format::BuiltinOperator_SQUARE, emit_square},
    {format::BuiltinOperator_SQUARED_DIFFERENCE, emit_squared_difference, 2},
    {format::BuiltinOperator_FLOOR_DIV, emit_floor_div, 2},
    {format::BuiltinOperator_FLOOR_MOD, emit_floor_mod, 2},
    {format::BuiltinOperator_ADD_N, emit_add_n},
    {format::BuiltinOperator_MAXIMUM, emit_plain_binary<ANEURALNETWORKS_MAXIMUM>, 2},
    {format::BuiltinOperator_MINIMUM, emit_plain_binary<ANEURALNETWORKS_MINIMUM>, 2},
    {format::BuiltinOperator_POW, emit_plain_binary<ANEURALNETWORKS_POW>, 2},
    {format::BuiltinOperator_PRELU, emit_prelu, 2},
});

}  // namespace

std::span<const Row> arithmetic_operators() { return kRows; }

}  // namespace nnvk::importers::tflite
