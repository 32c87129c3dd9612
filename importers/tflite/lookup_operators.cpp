// Operators that choose elements by index or key, and those that find indices.
#include <fmt/format.h>

#include <array>

#include "importers/tflite/operator_parts.h"

namespace nnvk::importers::tflite {
namespace {

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
        return fail(fmt::format("{}: its index {} is outside a dimension of {}", op.where, index, sizes[i % width]));
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

Status emit_gather_nd(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  const std::vector<uint32_t> dimensions = emitter.builder().operand(data).dimensions;
  TOOLS_TRY(check_closed(op, dimensions));
  const std::vector<uint32_t> tuples = emitter.input_tensor(op, 1).dimensions;
  const size_t width = tuples.empty() ? 0 : tuples.back();
  if (width == 0 || width > dimensions.size()) {
    return fail(fmt::format("{}: it has {} indices for an element, but must have from 1 to {}, the number of dimensions",
                            op.where, width, dimensions.size()));
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
  if (count == 0 || rows > static_cast<uint32_t>(INT32_MAX))
    return fail(op.where + ": it must gather at least one part, and from at most 2^31 - 1 of them");
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

Status emit_gather(Emitter& emitter, const Operator& op) {
  const auto settings = options_or_defaults<AxisOptions>(op);
  if (settings.batch_dims != 0) return fail(op.where + ": NNAPI gathers from a whole tensor, and not from each of a batch");
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const uint32_t indices, emitter.input(op, 1));
  OperandInfo info = emitter.builder().operand(data);
  TOOLS_ASSIGN(const uint32_t axis, checked_axis(op, settings.axis, info.dimensions.size()));
  std::vector<uint32_t> inputs{data};
  TOOLS_TRY(append(emitter, inputs, {static_cast<int32_t>(axis)}));
  inputs.push_back(indices);
  if (!emitter.input_tensor(op, 1).dimensions.empty()) return emit_moved(emitter, op, ANEURALNETWORKS_GATHER, std::move(inputs));
  // One index: NNAPI's result keeps the dimension, which has one element.
  info.dimensions[axis] = 1;
  TOOLS_ASSIGN(const uint32_t gathered, emitter.emit_temporary(op, ANEURALNETWORKS_GATHER, inputs, info));
  return reshape_to_output(emitter, op, gathered, 0);
}

// Emits EMBEDDING_LOOKUP. The rows may be 8-bit while the result is real: they are dequantized here.
Status emit_embedding_lookup(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t indices, emitter.input(op, 0));
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  const bool is_real = out.type == ANEURALNETWORKS_TENSOR_FLOAT32;
  TOOLS_ASSIGN(const uint32_t rows, is_real ? emitter.real_input(op, 1) : emitter.input(op, 1));
  return emit_to_output(emitter, op, ANEURALNETWORKS_EMBEDDING_LOOKUP, {indices, rows});
}

// Emits HASHTABLE_LOOKUP. Outputs: the rows that were found, and for each key whether it was.
Status emit_hashtable_lookup(Emitter& emitter, const Operator& op) {
  if (op.outputs.size() != 2) return fail(fmt::format("{}: it must have 2 outputs, but has {}", op.where, op.outputs.size()));
  TOOLS_ASSIGN(const std::vector<uint32_t> inputs, emitter.inputs_from(op, 0));
  TOOLS_ASSIGN(const uint32_t rows, emitter.output(op, 0));
  TOOLS_ASSIGN(const uint32_t hits, emitter.output(op, 1));
  return emitter.emit(op, ANEURALNETWORKS_HASHTABLE_LOOKUP, inputs, std::vector<uint32_t>{rows, hits});
}

Status emit_lsh_projection(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<LshOptions>(op));
  if (settings->type == format::LshType_UNKNOWN) return fail(op.where + ": the importer does not know its type of projection");
  TOOLS_ASSIGN(const uint32_t hashes, emitter.input(op, 0));
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 1));
  std::vector<uint32_t> inputs{hashes, data};
  if (settings->type == format::LshType_DENSE && Emitter::has_input(op, 2)) {
    TOOLS_ASSIGN(const uint32_t weights, emitter.input(op, 2));
    inputs.push_back(weights);
  } else if (Emitter::has_input(op, 2)) {
    return fail(op.where + ": NNAPI has no weights for the sparse projection");
  } else if (settings->type == format::LshType_DENSE) {
    // Equal weights for all elements, which is what leaving them out means.
    OperandInfo info{.type = emitter.builder().operand(hashes).type,
                     .dimensions = {emitter.builder().operand(data).dimensions[0]}};
    if (info.type != ANEURALNETWORKS_TENSOR_FLOAT32) return fail(op.where + ": the hash functions must be float32");
    TOOLS_TRY(check_closed(op, info.dimensions));
    TOOLS_TRY(emitter.translation().budget.take_bytes(info.bytes(), op.where + ": a tensor of ones"));
    TOOLS_ASSIGN(const uint32_t ones, emitter.builder().add_operand(info));
    const std::vector<float> values(info.dimensions[0], 1.0F);
    const auto* first = reinterpret_cast<const uint8_t*>(values.data());
    TOOLS_TRY(emitter.builder().set_owned_value(ones, {first, first + info.bytes()}));
    inputs.push_back(ones);
  } else {
    TOOLS_ASSIGN(const uint32_t none,
                 emitter.builder().add_omitted({.type = emitter.builder().operand(hashes).type, .dimensions = {0}}));
    inputs.push_back(none);
  }
  constexpr int32_t kSparse = 3;  // NNAPI's 1 is an older form, whose results have no offset
  constexpr int32_t kDense = 2;
  TOOLS_TRY(append(emitter, inputs, {settings->type == format::LshType_SPARSE ? kSparse : kDense}));
  return emit_to_output(emitter, op, ANEURALNETWORKS_LSH_PROJECTION, inputs);
}

Status emit_topk(Emitter& emitter, const Operator& op) {
  if (op.outputs.size() != 2) return fail(fmt::format("{}: it must have 2 outputs, but has {}", op.where, op.outputs.size()));
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const int32_t count, emitter.integer(op, 1, "the number of elements"));
  std::vector<uint32_t> inputs{data};
  TOOLS_TRY(append(emitter, inputs, {count}));
  TOOLS_ASSIGN(const uint32_t values, emitter.output(op, 0));
  TOOLS_ASSIGN(const uint32_t indices, emitter.output(op, 1));
  const OperandInfo info = emitter.builder().operand(values);
  if (is_quant8(info.type) && !info.same_quantization(emitter.builder().operand(data))) {
    return fail(op.where + ": its input and its output must have the same quantization");
  }
  return emitter.emit(op, ANEURALNETWORKS_TOPK_V2, inputs, std::vector<uint32_t>{values, indices});
}

// Emits ARG_MAX or ARG_MIN.
template <int32_t kCode>
Status emit_arg(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const int32_t axis, emitter.integer(op, 1, "the axis"));
  std::vector<uint32_t> inputs{data};
  TOOLS_TRY(append(emitter, inputs, {axis}));
  return emit_to_output(emitter, op, kCode, inputs);
}

constexpr auto kRows = std::to_array<Row>({
    {format::BuiltinOperator_GATHER, emit_gather, 2},
    {format::BuiltinOperator_GATHER_ND, emit_gather_nd, 2},
    {format::BuiltinOperator_EMBEDDING_LOOKUP, emit_embedding_lookup, 2},
    {format::BuiltinOperator_HASHTABLE_LOOKUP, emit_hashtable_lookup, 3, false},
    {format::BuiltinOperator_LSH_PROJECTION, emit_lsh_projection, 2},
    {format::BuiltinOperator_TOPK_V2, emit_topk, 2, false},
    {format::BuiltinOperator_ARG_MAX, emit_arg<ANEURALNETWORKS_ARGMAX>, 2},
    {format::BuiltinOperator_ARG_MIN, emit_arg<ANEURALNETWORKS_ARGMIN>, 2},
});

}  // namespace

std::span<const Row> lookup_operators() { return kRows; }

}  // namespace nnvk::importers::tflite
