// Scalars, shapes and other parts of translations.
#include "importers/tflite/operator_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "tools/nnapi/half.h"

namespace nnvk::importers::tflite {

Status append(Emitter& emitter, std::vector<uint32_t>& inputs, std::initializer_list<int32_t> scalars) {
  for (const int32_t value : scalars) {
    TOOLS_ASSIGN(const uint32_t operand, emitter.builder().add_int32(value));
    inputs.push_back(operand);
  }
  return {};
}

Status append_bools(Emitter& emitter, std::vector<uint32_t>& inputs, std::initializer_list<bool> scalars) {
  for (const bool value : scalars) {
    TOOLS_ASSIGN(const uint32_t operand, emitter.builder().add_bool(value));
    inputs.push_back(operand);
  }
  return {};
}

Status append_reals(Emitter& emitter, std::vector<uint32_t>& inputs, int32_t type, std::initializer_list<float> scalars) {
  for (const float value : scalars) {
    if (type == ANEURALNETWORKS_TENSOR_FLOAT16) {
      TOOLS_ASSIGN(const uint32_t operand, emitter.builder().add_operand({.type = ANEURALNETWORKS_FLOAT16, .dimensions = {}}));
      const uint16_t bits = tools::float_to_half(value);
      TOOLS_TRY(emitter.builder().set_owned_value(operand, {static_cast<uint8_t>(bits & 0xff), static_cast<uint8_t>(bits >> 8)}));
      inputs.push_back(operand);
    } else {
      TOOLS_ASSIGN(const uint32_t operand, emitter.builder().add_float32(value));
      inputs.push_back(operand);
    }
  }
  return {};
}

Status emit_to_output(Emitter& emitter, const Operator& op, int32_t code, const std::vector<uint32_t>& inputs) {
  TOOLS_ASSIGN(const uint32_t output, emitter.output(op));
  return emitter.emit(op, code, inputs, std::span(&output, 1));
}

Status emit_activated(Emitter& emitter, const Operator& op, int32_t code, const std::vector<uint32_t>& inputs,
                      const Activated& activated) {
  const uint32_t target = activated.target();
  TOOLS_TRY(emitter.emit(op, code, inputs, std::span(&target, 1)));
  return activated.end(emitter, op);
}

namespace {

OperandInfo numbers_info(std::vector<uint32_t> dimensions) {
  return {.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .dimensions = std::move(dimensions), .scale = 1.0F};
}

Result<std::array<uint32_t, 2>> numbers_and_zero(Emitter& emitter, uint32_t numbers) {
  TOOLS_ASSIGN(const uint32_t zero, emitter.zeros(numbers_info({1})));
  return std::array{numbers, zero};
}

}  // namespace

Result<uint32_t> mask_as_numbers(Emitter& emitter, const Operator& op, uint32_t mask) {
  const OperandInfo info = numbers_info(emitter.builder().operand(mask).dimensions);
  if (emitter.builder().operand(mask).type != ANEURALNETWORKS_TENSOR_BOOL8) return fail(op.where + ": its mask must be BOOL8");
  TOOLS_TRY(check_closed(op, info.dimensions));
  TOOLS_ASSIGN(const uint32_t zeros, emitter.zeros(info));
  TOOLS_TRY(emitter.translation().budget.take_bytes(info.bytes(), op.where + ": a tensor of ones"));
  TOOLS_ASSIGN(const uint32_t ones, emitter.builder().add_operand(info));
  TOOLS_TRY(emitter.builder().set_owned_value(ones, std::vector<uint8_t>(info.bytes(), 1)));
  return emitter.emit_temporary(op, ANEURALNETWORKS_SELECT, std::vector<uint32_t>{mask, ones, zeros}, info);
}

Result<uint32_t> numbers_as_mask(Emitter& emitter, const Operator& op, uint32_t numbers) {
  TOOLS_ASSIGN(const auto inputs, numbers_and_zero(emitter, numbers));
  return emitter.emit_temporary(
      op, ANEURALNETWORKS_NOT_EQUAL, inputs,
      {.type = ANEURALNETWORKS_TENSOR_BOOL8, .dimensions = emitter.builder().operand(numbers).dimensions});
}

Status emit_moved(Emitter& emitter, const Operator& op, int32_t code, std::vector<uint32_t> inputs) {
  if (emitter.builder().operand(inputs[0]).type != ANEURALNETWORKS_TENSOR_BOOL8) {
    return emitter.emit_same_quantization(op, code, std::move(inputs));
  }
  TOOLS_ASSIGN(inputs[0], mask_as_numbers(emitter, op, inputs[0]));
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  TOOLS_ASSIGN(const uint32_t moved, emitter.emit_temporary(op, code, inputs, numbers_info(out.dimensions)));
  TOOLS_ASSIGN(const auto compared, numbers_and_zero(emitter, moved));
  return emit_to_output(emitter, op, ANEURALNETWORKS_NOT_EQUAL, {compared[0], compared[1]});
}

Status emit_fixed_output(Emitter& emitter, const Operator& op, int32_t code, const std::vector<uint32_t>& inputs) {
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  const bool has_negative_results = code == ANEURALNETWORKS_TANH || code == ANEURALNETWORKS_L2_NORMALIZATION;
  const float scale = has_negative_results ? 1.0f / 128 : 1.0f / 256;
  const int32_t unsigned_zero_point = has_negative_results ? 128 : 0;
  const int32_t zero_point = out.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ? unsigned_zero_point : unsigned_zero_point - 128;
  if (is_quant8(out.type) && (out.scale != scale || out.zero_point != zero_point)) {
    return emitter.emit_in_float(op, code, inputs, 1);
  }
  return emit_to_output(emitter, op, code, inputs);
}

Result<uint32_t> checked_axis(const Operator& op, int32_t axis, size_t rank) {
  const int64_t counted = axis < 0 ? int64_t{axis} + static_cast<int64_t>(rank) : axis;
  if (counted < 0 || counted >= static_cast<int64_t>(rank))
    return fail(fmt::format("{}: its axis {} is outside its {} dimensions", op.where, axis, rank));
  return static_cast<uint32_t>(counted);
}

Status check_closed(const Operator& op, const std::vector<uint32_t>& dimensions) {
  for (const uint32_t d : dimensions) {
    if (d == 0) return fail(fmt::format("{}: it needs all sizes of [{}], but one is open", op.where, fmt::join(dimensions, ",")));
    if (d > static_cast<uint32_t>(INT32_MAX))
      return fail(fmt::format("{}: a dimension of {} is longer than NNAPI allows", op.where, d));
  }
  return {};
}

Result<uint32_t> shape_constant(Emitter& emitter, const Operator& op, const std::vector<uint32_t>& dimensions) {
  std::vector<int32_t> shape(dimensions.begin(), dimensions.end());
  size_t open = 0;
  for (int32_t& d : shape) {
    if (d != 0) continue;
    d = -1;
    ++open;
  }
  if (open > 1) return fail(fmt::format("{}: at most one size of [{}] may be open", op.where, fmt::join(dimensions, ",")));
  return emitter.builder().add_int32_tensor(shape);
}

Result<uint32_t> reshaped(Emitter& emitter, const Operator& op, uint32_t operand, const std::vector<uint32_t>& dimensions) {
  OperandInfo info = emitter.builder().operand(operand);
  if (info.dimensions == dimensions) return operand;
  info.dimensions = dimensions;
  TOOLS_ASSIGN(const uint32_t shape, shape_constant(emitter, op, dimensions));
  return emitter.emit_temporary(op, ANEURALNETWORKS_RESHAPE, std::vector<uint32_t>{operand, shape}, info);
}

Status reshape_to_output(Emitter& emitter, const Operator& op, uint32_t operand, size_t position) {
  TOOLS_ASSIGN(const uint32_t output, emitter.output(op, position));
  const OperandInfo info = emitter.builder().operand(output);
  if (is_quant8(info.type) && !info.same_quantization(emitter.builder().operand(operand))) {
    return fail(op.where + ": its input and its output must have the same quantization");
  }
  TOOLS_ASSIGN(const uint32_t shape, shape_constant(emitter, op, info.dimensions));
  return emitter.emit(op, ANEURALNETWORKS_RESHAPE, std::vector<uint32_t>{operand, shape}, std::span(&output, 1));
}

std::vector<uint32_t> padded_rank(std::vector<uint32_t> dimensions, size_t count) {
  if (dimensions.size() < count) dimensions.insert(dimensions.begin(), count - dimensions.size(), 1);
  return dimensions;
}

Result<uint32_t> broadcast(Emitter& emitter, const Operator& op, uint32_t operand, const std::vector<uint32_t>& dimensions) {
  OperandInfo info = emitter.builder().operand(operand);
  if (info.dimensions == dimensions) return operand;
  TOOLS_TRY(check_closed(op, dimensions));
  TOOLS_TRY(check_closed(op, info.dimensions));
  const std::vector<uint32_t> from = padded_rank(info.dimensions, dimensions.size());
  const auto mismatch = [&] {
    return fail(fmt::format("{}: [{}] cannot be repeated to [{}]", op.where, fmt::join(info.dimensions, ","),
                            fmt::join(dimensions, ",")));
  };
  if (from.size() != dimensions.size()) return mismatch();
  std::vector<int32_t> multiples;
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] != 1 && from[d] != dimensions[d]) return mismatch();
    multiples.push_back(static_cast<int32_t>(dimensions[d] / from[d]));
  }
  TOOLS_ASSIGN(const uint32_t source, reshaped(emitter, op, operand, from));
  if (from == dimensions) return source;
  TOOLS_ASSIGN(const uint32_t counts, emitter.builder().add_int32_tensor(multiples));
  info.dimensions = dimensions;
  return emitter.emit_temporary(op, ANEURALNETWORKS_TILE, std::vector<uint32_t>{source, counts}, info);
}

Status emit_chosen(Emitter& emitter, const Operator& op, uint32_t operand, const std::vector<int32_t>& positions) {
  OperandInfo info = emitter.builder().operand(operand);
  TOOLS_ASSIGN(const uint32_t flat, reshaped(emitter, op, operand, {static_cast<uint32_t>(info.elements())}));
  std::vector<uint32_t> inputs{flat};
  TOOLS_TRY(append(emitter, inputs, {0}));
  TOOLS_ASSIGN(const uint32_t indices, emitter.builder().add_int32_tensor(positions));
  inputs.push_back(indices);
  info.dimensions = {static_cast<uint32_t>(positions.size())};
  TOOLS_ASSIGN(const uint32_t chosen, emitter.emit_temporary(op, ANEURALNETWORKS_GATHER, inputs, info));
  return reshape_to_output(emitter, op, chosen, 0);
}

std::vector<uint32_t> without(std::vector<uint32_t> dimensions, uint32_t axis) {
  dimensions.erase(dimensions.begin() + axis);
  if (dimensions.empty()) dimensions = {1};
  return dimensions;
}

Result<std::vector<uint32_t>> pieces(Emitter& emitter, const Operator& op, uint32_t operand, uint32_t axis) {
  OperandInfo info = emitter.builder().operand(operand);
  const uint32_t count = info.dimensions[axis];
  if (count == 0) return fail(op.where + ": it needs a known number of pieces, but it is open");
  if (count > kMostPieces)
    return fail(fmt::format("{}: it may have at most {} pieces, but has {}", op.where, kMostPieces, count));
  if (count == 1) return std::vector{operand};
  std::vector<uint32_t> inputs{operand};
  TOOLS_TRY(append(emitter, inputs, {static_cast<int32_t>(axis), static_cast<int32_t>(count)}));
  info.dimensions[axis] = 1;
  std::vector<uint32_t> results;
  for (uint32_t i = 0; i < count; ++i) {
    TOOLS_ASSIGN(const uint32_t piece, emitter.temporary(info));
    results.push_back(piece);
  }
  TOOLS_TRY(emitter.emit(op, ANEURALNETWORKS_SPLIT, inputs, results));
  return results;
}

}  // namespace nnvk::importers::tflite
