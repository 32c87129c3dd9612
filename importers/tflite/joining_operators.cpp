// Operators that put tensors together along a dimension, or take them apart.
#include <fmt/format.h>

#include <array>

#include "importers/tflite/operator_parts.h"

namespace nnvk::importers::tflite {
namespace {

// Writes output 0: stacks the tensors along a new dimension `axis`.
Status emit_packing(Emitter& emitter, const Operator& op, uint32_t axis, const std::vector<uint32_t>& tensors) {
  std::vector<uint32_t> inputs;
  TOOLS_TRY(append(emitter, inputs, {static_cast<int32_t>(axis)}));
  inputs.insert(inputs.end(), tensors.begin(), tensors.end());
  return emit_to_output(emitter, op, ANEURALNETWORKS_PACK, inputs);
}

// Stacks scalars, each of which is a tensor of one element in NNAPI.
Status emit_packed_scalars(Emitter& emitter, const Operator& op, const std::vector<uint32_t>& scalars) {
  std::vector<uint32_t> inputs;
  TOOLS_TRY(append(emitter, inputs, {0}));
  inputs.insert(inputs.end(), scalars.begin(), scalars.end());
  OperandInfo info = emitter.builder().operand(scalars[0]);
  info.dimensions = {static_cast<uint32_t>(scalars.size()), 1};
  TOOLS_ASSIGN(const uint32_t column, emitter.emit_temporary(op, ANEURALNETWORKS_PACK, inputs, info));
  return reshape_to_output(emitter, op, column, 0);
}

// Packs integers that are known before an execution, such as parts of a result of SHAPE.
Result<bool> pack_known(Emitter& emitter, const Operator& op) {
  std::vector<int32_t> values;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const auto known = emitter.known_integers(op, i);
    if (!known || known->size() != 1 || !emitter.input_tensor(op, i).dimensions.empty()) return false;
    values.push_back((*known)[0]);
  }
  TOOLS_TRY(emitter.set_known(op, std::move(values)));
  return true;
}

Status emit_pack(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<AxisOptions>(op));
  TOOLS_ASSIGN(const uint32_t axis, checked_axis(op, settings->axis, emitter.output_tensor(op).dimensions.size()));
  TOOLS_ASSIGN(const bool done, pack_known(emitter, op));
  if (done) return {};
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  TOOLS_ASSIGN(const std::vector<uint32_t> tensors, emitter.inputs_from(op, 0));
  for (const uint32_t operand : tensors) {
    const OperandInfo& info = emitter.builder().operand(operand);
    if (is_quant8(out.type) && !info.same_quantization(out))
      return fail(op.where + ": its input and its output must have the same quantization");
  }
  if (emitter.input_tensor(op, 0).dimensions.empty()) return emit_packed_scalars(emitter, op, tensors);
  return emit_packing(emitter, op, axis, tensors);
}

Status emit_unpack(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<AxisOptions>(op));
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  const OperandInfo info = emitter.builder().operand(data);
  TOOLS_ASSIGN(const uint32_t axis, checked_axis(op, settings->axis, info.dimensions.size()));
  if (op.outputs.size() != info.dimensions[axis]) {
    return fail(fmt::format("{}: it must have an output for each of {} elements, but has {}", op.where, info.dimensions[axis],
                            op.outputs.size()));
  }
  TOOLS_ASSIGN(const std::vector<uint32_t> parts, pieces(emitter, op, data, axis));
  for (size_t i = 0; i < parts.size(); ++i) TOOLS_TRY(reshape_to_output(emitter, op, parts[i], i));
  return {};
}

// Emits CONCATENATION of integers, which NNAPI has only for real numbers: packs slices of size 1.
Status emit_integer_concatenation(Emitter& emitter, const Operator& op, const std::vector<uint32_t>& inputs, uint32_t along) {
  std::vector<uint32_t> slices;
  for (const uint32_t input : inputs) {
    if (along >= emitter.builder().operand(input).dimensions.size())
      return fail(op.where + ": its inputs must have the same rank");
    TOOLS_ASSIGN(const std::vector<uint32_t> parts, pieces(emitter, op, input, along));
    if (emitter.output_tensor(op).dimensions.size() == 1) {
      slices.insert(slices.end(), parts.begin(), parts.end());
    } else {
      for (const uint32_t part : parts) {
        TOOLS_ASSIGN(const uint32_t slice,
                     reshaped(emitter, op, part, without(emitter.builder().operand(part).dimensions, along)));
        slices.push_back(slice);
      }
    }
    if (slices.size() > kMostPieces)
      return fail(fmt::format("{}: it may have at most {} pieces, but has {}", op.where, kMostPieces, slices.size()));
  }
  if (emitter.output_tensor(op).dimensions.size() == 1) return emit_packed_scalars(emitter, op, slices);
  return emit_packing(emitter, op, along, slices);
}

Status emit_concatenation(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<AxisOptions>(op));
  TOOLS_ASSIGN(std::vector<uint32_t> inputs, emitter.inputs_from(op, 0));
  TOOLS_ASSIGN(const uint32_t axis, checked_axis(op, settings->axis, emitter.output_tensor(op).dimensions.size()));
  const int32_t type = emitter.builder().operand(inputs[0]).type;
  if (type == ANEURALNETWORKS_TENSOR_INT32) {
    if (settings->activation != format::Activation_NONE) return fail(op.where + ": NNAPI has no activation of integers");
    return emit_integer_concatenation(emitter, op, inputs, axis);
  }
  if (type == ANEURALNETWORKS_TENSOR_BOOL8) {
    for (uint32_t& operand : inputs) {
      TOOLS_ASSIGN(operand, mask_as_numbers(emitter, op, operand));
    }
    TOOLS_TRY(append(emitter, inputs, {static_cast<int32_t>(axis)}));
    TOOLS_ASSIGN(OperandInfo info, emitter.operand_info(op.outputs[0]));
    info = {.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .dimensions = info.dimensions, .scale = 1.0F};
    TOOLS_ASSIGN(const uint32_t joined, emitter.emit_temporary(op, ANEURALNETWORKS_CONCATENATION, inputs, info));
    TOOLS_ASSIGN(const uint32_t zero, emitter.zeros({.type = info.type, .dimensions = {1}, .scale = 1.0F}));
    return emit_to_output(emitter, op, ANEURALNETWORKS_NOT_EQUAL, {joined, zero});
  }
  TOOLS_TRY(append(emitter, inputs, {static_cast<int32_t>(axis)}));
  TOOLS_ASSIGN(const Activated activated, Activated::begin(emitter, op, settings->activation, false));
  return emit_activated(emitter, op, ANEURALNETWORKS_CONCATENATION, inputs, activated);
}

constexpr auto kRows = std::to_array<Row>({
    {format::BuiltinOperator_CONCATENATION, emit_concatenation},
    {format::BuiltinOperator_PACK, emit_pack},
    {format::BuiltinOperator_UNPACK, emit_unpack, 1, false},
});

}  // namespace

std::span<const Row> joining_operators() { return kRows; }

}  // namespace nnvk::importers::tflite
