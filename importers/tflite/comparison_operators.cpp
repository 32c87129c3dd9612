// Comparisons, logic, and selections by a mask.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "importers/tflite/operator_parts.h"

namespace nnvk::importers::tflite {
namespace {

// Emits a comparison, LOGICAL_AND or LOGICAL_OR.
template <int32_t kCode>
Status emit_pairwise(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t a, emitter.input(op, 0));
  TOOLS_ASSIGN(const uint32_t b, emitter.input(op, 1));
  return emit_to_output(emitter, op, kCode, {a, b});
}

Status emit_not(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  return emit_to_output(emitter, op, ANEURALNETWORKS_LOGICAL_NOT, {data});
}

OperandInfo mask_info(std::vector<uint32_t> dimensions) {
  return {.type = ANEURALNETWORKS_TENSOR_BOOL8, .dimensions = std::move(dimensions)};
}

// Emits a mask repeated to `dimensions`. NNAPI repeats no BOOL8, but LOGICAL_OR broadcasts.
Result<uint32_t> broadcast_mask(Emitter& emitter, const Operator& op, uint32_t mask, const std::vector<uint32_t>& dimensions) {
  if (emitter.builder().operand(mask).dimensions == dimensions) return mask;
  TOOLS_TRY(check_closed(op, dimensions));
  TOOLS_ASSIGN(const uint32_t falses, emitter.zeros(mask_info(dimensions)));
  return emitter.emit_temporary(op, ANEURALNETWORKS_LOGICAL_OR, std::vector<uint32_t>{mask, falses}, mask_info(dimensions));
}

// Emits the mask [n] of SELECT as [n, 1, ...], so that it broadcasts along the first dimension.
Result<uint32_t> rows_mask(Emitter& emitter, const Operator& op, uint32_t mask, size_t rank) {
  std::vector<uint32_t> column(rank, 1);
  column[0] = emitter.builder().operand(mask).dimensions[0];
  TOOLS_ASSIGN(const uint32_t numbers, mask_as_numbers(emitter, op, mask));
  TOOLS_ASSIGN(const uint32_t standing, reshaped(emitter, op, numbers, column));
  return numbers_as_mask(emitter, op, standing);
}

Status emit_selection(Emitter& emitter, const Operator& op, uint32_t mask) {
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  TOOLS_ASSIGN(mask, broadcast_mask(emitter, op, mask, out.dimensions));
  std::vector<uint32_t> inputs{mask};
  for (const size_t i : {1U, 2U}) {
    TOOLS_ASSIGN(uint32_t operand, emitter.input(op, i));
    if (emitter.builder().operand(operand).type == ANEURALNETWORKS_TENSOR_BOOL8) {
      return fail(op.where + ": NNAPI selects numbers only, and not BOOL8");
    }
    TOOLS_ASSIGN(operand, broadcast(emitter, op, operand, out.dimensions));
    inputs.push_back(operand);
  }
  return emit_to_output(emitter, op, ANEURALNETWORKS_SELECT, inputs);
}

// Emits SELECT: the mask has the shape of the values, or chooses whole rows.
Status emit_select(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(uint32_t mask, emitter.input(op, 0));
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  const std::vector<uint32_t> shape = emitter.builder().operand(mask).dimensions;
  if (emitter.builder().operand(mask).type != ANEURALNETWORKS_TENSOR_BOOL8) return fail(op.where + ": input 0 must be BOOL8");
  if (shape.size() == 1 && out.dimensions.size() > 1) {
    TOOLS_TRY(check_closed(op, shape));
    if (shape[0] != 1 && shape[0] != out.dimensions[0]) {
      return fail(fmt::format("{}: its mask must have an element for each of {} rows, but has {}", op.where, out.dimensions[0],
                              shape[0]));
    }
    TOOLS_ASSIGN(mask, rows_mask(emitter, op, mask, out.dimensions.size()));
  }
  return emit_selection(emitter, op, mask);
}

// Emits SELECT_V2, which broadcasts all three inputs.
Status emit_select_v2(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t mask, emitter.input(op, 0));
  return emit_selection(emitter, op, mask);
}

constexpr auto kRows = std::to_array<Row>({
    {format::BuiltinOperator_EQUAL, emit_pairwise<ANEURALNETWORKS_EQUAL>, 2},
    {format::BuiltinOperator_NOT_EQUAL, emit_pairwise<ANEURALNETWORKS_NOT_EQUAL>, 2},
    {format::BuiltinOperator_LESS, emit_pairwise<ANEURALNETWORKS_LESS>, 2},
    {format::BuiltinOperator_LESS_EQUAL, emit_pairwise<ANEURALNETWORKS_LESS_EQUAL>, 2},
    {format::BuiltinOperator_GREATER, emit_pairwise<ANEURALNETWORKS_GREATER>, 2},
    {format::BuiltinOperator_GREATER_EQUAL, emit_pairwise<ANEURALNETWORKS_GREATER_EQUAL>, 2},
    {format::BuiltinOperator_LOGICAL_AND, emit_pairwise<ANEURALNETWORKS_LOGICAL_AND>, 2},
    {format::BuiltinOperator_LOGICAL_OR, emit_pairwise<ANEURALNETWORKS_LOGICAL_OR>, 2},
    {format::BuiltinOperator_LOGICAL_NOT, emit_not},
    {format::BuiltinOperator_SELECT, emit_select, 3},
    {format::BuiltinOperator_SELECT_V2, emit_select_v2, 3},
});

}  // namespace

std::span<const Row> comparison_operators() { return kRows; }

}  // namespace nnvk::importers::tflite
