// Operators on indices that NNAPI lacks: PACK, UNPACK, GATHER_ND, FLOOR_DIV and CONCATENATION of integers.
#include <fmt/format.h>

#include "importers/tflite/operator_parts.h"

namespace nnvk::importers::tflite {
namespace {

constexpr size_t kMostPieces = 1024;  // the most pieces that one operator may be split into

// Converts `axis` of a tensor of `rank` dimensions to a number that counts from 0.
Result<uint32_t> checked_axis(const Operator& op, int32_t axis, size_t rank) {
  const int64_t counted = axis < 0 ? int64_t{axis} + static_cast<int64_t>(rank) : axis;
  if (counted < 0 || counted >= static_cast<int64_t>(rank)) return fail(fmt::format("{}: axis {} of {}", op.where, axis, rank));
  return static_cast<uint32_t>(counted);
}

Result<uint32_t> shape_constant(Emitter& emitter, const std::vector<uint32_t>& dimensions) {
  return emitter.builder().add_int32_tensor(std::vector<int32_t>(dimensions.begin(), dimensions.end()));
}

// `operand` with other dimensions.
Result<uint32_t> reshaped(Emitter& emitter, const Operator& op, uint32_t operand, const std::vector<uint32_t>& dimensions) {
  OperandInfo info = emitter.builder().operand(operand);
  info.dimensions = dimensions;
  TOOLS_ASSIGN(const uint32_t shape, shape_constant(emitter, dimensions));
  TOOLS_ASSIGN(const uint32_t result, emitter.temporary(info));
  TOOLS_TRY(emitter.emit(op, ANEURALNETWORKS_RESHAPE, std::vector<uint32_t>{operand, shape}, std::span(&result, 1)));
  return result;
}

// Output `position` as a reshape of `operand`.
Status reshape_to_output(Emitter& emitter, const Operator& op, uint32_t operand, size_t position) {
  TOOLS_ASSIGN(const uint32_t output, emitter.output(op, position));
  const OperandInfo info = emitter.builder().operand(output);
  if (is_quant8(info.type) && !info.same_quantization(emitter.builder().operand(operand))) {
    return fail(op.where + ": input and output quantization differ");
  }
  TOOLS_ASSIGN(const uint32_t shape, shape_constant(emitter, info.dimensions));
  return emitter.emit(op, ANEURALNETWORKS_RESHAPE, std::vector<uint32_t>{operand, shape}, std::span(&output, 1));
}

// Slices of size 1 along `axis`.
Result<std::vector<uint32_t>> pieces(Emitter& emitter, const Operator& op, uint32_t operand, uint32_t axis) {
  OperandInfo info = emitter.builder().operand(operand);
  const uint32_t count = info.dimensions[axis];
  if (count > kMostPieces) return fail(fmt::format("{}: {} pieces are too many", op.where, count));
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

std::vector<uint32_t> without(std::vector<uint32_t> dimensions, uint32_t axis) {
  dimensions.erase(dimensions.begin() + axis);
  if (dimensions.empty()) dimensions = {1};
  return dimensions;
}

// Writes output 0: stacks the tensors along a new dimension `axis`.
Status emit_packing(Emitter& emitter, const Operator& op, uint32_t axis, const std::vector<uint32_t>& tensors) {
  std::vector<uint32_t> inputs;
  TOOLS_TRY(append(emitter, inputs, {static_cast<int32_t>(axis)}));
  inputs.insert(inputs.end(), tensors.begin(), tensors.end());
  return emit_to_output(emitter, op, ANEURALNETWORKS_PACK, inputs);
}

// Computes GATHER_ND's row numbers: for each index tuple, its dot product with the strides.
Result<uint32_t> flat_indices(Emitter& emitter, const Operator& op, const std::vector<uint32_t>& sizes, uint32_t count) {
  const size_t width = sizes.size();
  std::vector<int32_t> strides(width, 1);
  for (size_t j = width - 1; j-- > 0;) strides[j] = strides[j + 1] * static_cast<int32_t>(sizes[j + 1]);
  if (emitter.input_tensor(op, 1).constant()) {
    TOOLS_ASSIGN(const std::vector<int32_t> indices, emitter.integers(op, 1));
    std::vector<int32_t> flat(count);
    for (size_t i = 0; i < indices.size(); ++i) {
      const int32_t index = indices[i];
      if (index < 0 || static_cast<uint32_t>(index) >= sizes[i % width]) {
        return fail(fmt::format("{}: index {} is outside a dimension of {}", op.where, index, sizes[i % width]));
      }
      flat[i / width] += index * strides[i % width];
    }
    return emitter.builder().add_int32_tensor(flat);
  }
  TOOLS_ASSIGN(const uint32_t indices, emitter.input(op, 1));
  const OperandInfo info = emitter.builder().operand(indices);
  if (info.type != ANEURALNETWORKS_TENSOR_INT32) return fail(op.where + ": the indices must be integers");
  if (width == 1) return reshaped(emitter, op, indices, {count});
  TOOLS_ASSIGN(const uint32_t factors, emitter.builder().add_int32_tensor(strides));
  std::vector<uint32_t> inputs{indices, factors};
  TOOLS_TRY(append(emitter, inputs, {ANEURALNETWORKS_FUSED_NONE}));
  TOOLS_ASSIGN(const uint32_t scaled, emitter.temporary(info));
  TOOLS_TRY(emitter.emit(op, ANEURALNETWORKS_MUL, inputs, std::span(&scaled, 1)));
  TOOLS_ASSIGN(const std::vector<uint32_t> terms, pieces(emitter, op, scaled, static_cast<uint32_t>(info.dimensions.size() - 1)));
  uint32_t sum = terms[0];
  for (size_t j = 1; j < terms.size(); ++j) {
    inputs = {sum, terms[j]};
    TOOLS_TRY(append(emitter, inputs, {ANEURALNETWORKS_FUSED_NONE}));
    TOOLS_ASSIGN(sum, emitter.temporary(emitter.builder().operand(terms[0])));
    TOOLS_TRY(emitter.emit(op, ANEURALNETWORKS_ADD, inputs, std::span(&sum, 1)));
  }
  return reshaped(emitter, op, sum, {count});
}

}  // namespace

Status emit_pack(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* table, options<format::PackOptions>(op));
  TOOLS_ASSIGN(const uint32_t axis, checked_axis(op, table->axis(), emitter.output_tensor(op).dimensions.size()));
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  std::vector<uint32_t> tensors;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    TOOLS_ASSIGN(uint32_t operand, emitter.input(op, i));
    const OperandInfo info = emitter.builder().operand(operand);
    if (is_quant8(out.type) && !info.same_quantization(out)) return fail(op.where + ": input and output quantization differ");
    tensors.push_back(operand);
  }
  return emit_packing(emitter, op, axis, tensors);
}

Status emit_unpack(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* table, options<format::UnpackOptions>(op));
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  const OperandInfo info = emitter.builder().operand(data);
  TOOLS_ASSIGN(const uint32_t axis, checked_axis(op, table->axis(), info.dimensions.size()));
  if (op.outputs.size() != info.dimensions[axis]) {
    return fail(fmt::format("{}: {} outputs for {} elements", op.where, op.outputs.size(), info.dimensions[axis]));
  }
  TOOLS_ASSIGN(const std::vector<uint32_t> parts, pieces(emitter, op, data, axis));
  for (size_t i = 0; i < parts.size(); ++i) TOOLS_TRY(reshape_to_output(emitter, op, parts[i], i));
  return {};
}

Status emit_gather_nd(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  if (!Emitter::has_input(op, 1)) return fail(op.where + ": input 1 is missing");
  const std::vector<uint32_t> dimensions = emitter.builder().operand(data).dimensions;
  const std::vector<uint32_t> tuples = emitter.input_tensor(op, 1).dimensions;
  const size_t width = tuples.empty() ? 0 : tuples.back();
  if (width == 0 || width > dimensions.size()) {
    return fail(fmt::format("{}: {} indices for {} dimensions", op.where, width, dimensions.size()));
  }
  const auto product = [](auto first, auto last) {
    uint32_t result = 1;  // the importer has checked that a tensor has fewer than 2^32 elements
    for (; first != last; ++first) result *= *first;
    return result;
  };
  const auto split = dimensions.begin() + static_cast<std::ptrdiff_t>(width);
  const uint32_t rows = product(dimensions.begin(), split);
  const uint32_t row_size = product(split, dimensions.end());
  const uint32_t count = product(tuples.begin(), tuples.end() - 1);
  if (count == 0 || rows > static_cast<uint32_t>(INT32_MAX)) return fail(op.where + ": nothing to gather, or from too much");
  TOOLS_ASSIGN(const uint32_t indices, flat_indices(emitter, op, {dimensions.begin(), split}, count));
  TOOLS_ASSIGN(const uint32_t table, reshaped(emitter, op, data, {rows, row_size}));
  std::vector<uint32_t> inputs{table};
  TOOLS_TRY(append(emitter, inputs, {0}));
  inputs.push_back(indices);
  OperandInfo info = emitter.builder().operand(data);
  info.dimensions = {count, row_size};
  TOOLS_ASSIGN(const uint32_t gathered, emitter.temporary(info));
  TOOLS_TRY(emitter.emit(op, ANEURALNETWORKS_GATHER, inputs, std::span(&gathered, 1)));
  return reshape_to_output(emitter, op, gathered, 0);
}

Status emit_floor_div(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t a, emitter.input(op, 0));
  TOOLS_ASSIGN(const uint32_t b, emitter.input(op, 1));
  std::vector<uint32_t> inputs{a, b};
  TOOLS_TRY(append(emitter, inputs, {ANEURALNETWORKS_FUSED_NONE}));
  TOOLS_ASSIGN(const uint32_t output, emitter.output(op));
  const OperandInfo info = emitter.builder().operand(output);
  // NNAPI's DIV of integers rounds down.
  if (info.type == ANEURALNETWORKS_TENSOR_INT32) return emitter.emit(op, ANEURALNETWORKS_DIV, inputs, std::span(&output, 1));
  TOOLS_ASSIGN(const uint32_t quotient, emitter.temporary(info));
  TOOLS_TRY(emitter.emit(op, ANEURALNETWORKS_DIV, inputs, std::span(&quotient, 1)));
  return emitter.emit(op, ANEURALNETWORKS_FLOOR, std::span(&quotient, 1), std::span(&output, 1));
}

Status emit_integer_concatenation(Emitter& emitter, const Operator& op, const std::vector<uint32_t>& inputs, int32_t axis) {
  TOOLS_ASSIGN(const uint32_t along, checked_axis(op, axis, emitter.output_tensor(op).dimensions.size()));
  std::vector<uint32_t> slices;
  for (const uint32_t input : inputs) {
    if (along >= emitter.builder().operand(input).dimensions.size()) return fail(op.where + ": inputs of different ranks");
    TOOLS_ASSIGN(const std::vector<uint32_t> parts, pieces(emitter, op, input, along));
    for (const uint32_t part : parts) {
      TOOLS_ASSIGN(const uint32_t slice, reshaped(emitter, op, part, without(emitter.builder().operand(part).dimensions, along)));
      slices.push_back(slice);
    }
    if (slices.size() > kMostPieces) return fail(fmt::format("{}: {} pieces are too many", op.where, slices.size()));
  }
  return emit_packing(emitter, op, along, slices);
}

}  // namespace nnvk::importers::tflite
