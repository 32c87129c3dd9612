// Operators that change or tell shapes, repeat and reverse.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "importers/tflite/operator_parts.h"

namespace nnvk::importers::tflite {
namespace {

// Emits RESHAPE, and other operators that give the same elements another shape: the file contains the result's shape.
Status emit_reshape(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  TOOLS_ASSIGN(const uint32_t shape, shape_constant(emitter, op, out.dimensions));
  return emit_moved(emitter, op, ANEURALNETWORKS_RESHAPE, {data, shape});
}

Status emit_squeeze(Emitter& emitter, const Operator& op) {
  const auto settings = options_or_defaults<SqueezeOptions>(op);
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  const OperandInfo info = emitter.builder().operand(data);
  if (info.type == ANEURALNETWORKS_TENSOR_INT32) return emit_reshape(emitter, op);  // which NNAPI squeezes not
  const auto rank = static_cast<int32_t>(info.dimensions.size());
  std::vector<int32_t> axes;
  for (const int32_t axis : settings.axes) axes.push_back(axis < 0 ? axis + rank : axis);
  Result<uint32_t> axes_operand = axes.empty()
                                      ? emitter.builder().add_omitted({.type = ANEURALNETWORKS_TENSOR_INT32, .dimensions = {0}})
                                      : emitter.builder().add_int32_tensor(axes);
  if (!axes_operand) return fail(op.where + ": " + axes_operand.error().message);
  return emit_moved(emitter, op, ANEURALNETWORKS_SQUEEZE, {data, *axes_operand});
}

Status emit_expand_dims(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const int32_t axis, emitter.integer(op, 1, "the axis"));
  if (emitter.input_tensor(op, 0).dimensions.empty()) return emit_reshape(emitter, op);  // it has a dimension in NNAPI already
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  std::vector<uint32_t> inputs{data};
  TOOLS_TRY(append(emitter, inputs, {axis}));
  return emit_moved(emitter, op, ANEURALNETWORKS_EXPAND_DIMS, std::move(inputs));
}

Status emit_tile(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const uint32_t multiples, emitter.input(op, 1));
  return emit_moved(emitter, op, ANEURALNETWORKS_TILE, {data, multiples});
}

// Returns the positions from which the elements of a transposed tensor come, in their order.
Result<std::vector<int32_t>> transposed_positions(const Operator& op, const std::vector<uint32_t>& shape,
                                                  const std::vector<int32_t>& order) {
  const size_t rank = shape.size();
  std::vector<bool> seen(rank);
  for (const int32_t d : order) {
    TOOLS_ASSIGN(const uint32_t axis, checked_axis(op, d, rank));
    if (d < 0 || seen[axis] || order.size() != rank) return fail(op.where + ": its order must name each dimension once");
    seen[axis] = true;
  }
  std::vector<uint32_t> strides(rank, 1);
  for (size_t d = rank - 1; d-- > 0;) strides[d] = strides[d + 1] * shape[d + 1];
  std::vector<int32_t> positions{0};
  for (const int32_t d : order) {
    std::vector<int32_t> finer;
    for (const int32_t position : positions) {
      for (uint32_t i = 0; i < shape[static_cast<size_t>(d)]; ++i) {
        finer.push_back(position + static_cast<int32_t>(i * strides[static_cast<size_t>(d)]));
      }
    }
    positions = std::move(finer);
  }
  return positions;
}

// Emits TRANSPOSE. NNAPI transposes no integers, but gathers them.
Status emit_transpose(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  const OperandInfo info = emitter.builder().operand(data);
  if (info.type != ANEURALNETWORKS_TENSOR_INT32) {
    TOOLS_ASSIGN(const uint32_t order, emitter.input(op, 1));
    return emit_moved(emitter, op, ANEURALNETWORKS_TRANSPOSE, {data, order});
  }
  TOOLS_ASSIGN(const std::vector<int32_t> order, emitter.integers(op, 1));
  TOOLS_TRY(check_closed(op, info.dimensions));
  if (info.elements() > static_cast<uint64_t>(INT32_MAX) || order.size() != info.dimensions.size()) {
    return fail(fmt::format("{}: its order of {} dimensions does not fit its input {}, or this is too large", op.where,
                            order.size(), to_string(info)));
  }
  TOOLS_TRY(emitter.translation().budget.take_bytes(2 * info.bytes(), op.where + ": positions of its elements"));
  TOOLS_ASSIGN(const std::vector<int32_t> positions, transposed_positions(op, info.dimensions, order));
  return emit_chosen(emitter, op, data, positions);
}

// Writes output 0, repeating `operand`, which has one element along each dimension that is repeated.
Status emit_broadcast(Emitter& emitter, const Operator& op, uint32_t operand) {
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  const bool is_mask = out.type == ANEURALNETWORKS_TENSOR_BOOL8;
  if (is_mask) {
    TOOLS_ASSIGN(operand, mask_as_numbers(emitter, op, operand));
  }
  TOOLS_ASSIGN(uint32_t repeated, broadcast(emitter, op, operand, out.dimensions));
  if (is_mask) {
    TOOLS_ASSIGN(repeated, numbers_as_mask(emitter, op, repeated));
  }
  return emit_to_output(emitter, op, ANEURALNETWORKS_CAST, {repeated});  // the same type: a copy
}

Status emit_broadcast_to(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  if (is_quant8(out.type) && !emitter.builder().operand(data).same_quantization(out)) {
    return fail(op.where + ": its input and its output must have the same quantization");
  }
  return emit_broadcast(emitter, op, data);
}

// Writes output 0: NNAPI's FILL with one number, given as its bytes.
Status emit_filled(Emitter& emitter, const Operator& op, std::vector<uint8_t> value) {
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  OperandInfo scalar{.type = ANEURALNETWORKS_INT32, .dimensions = {}};
  if (out.type == ANEURALNETWORKS_TENSOR_FLOAT32) scalar.type = ANEURALNETWORKS_FLOAT32;
  if (out.type == ANEURALNETWORKS_TENSOR_FLOAT16) scalar.type = ANEURALNETWORKS_FLOAT16;
  TOOLS_TRY(check_closed(op, out.dimensions));
  TOOLS_ASSIGN(const uint32_t shape, shape_constant(emitter, op, out.dimensions));
  TOOLS_ASSIGN(const uint32_t number, emitter.builder().add_operand(scalar));
  TOOLS_TRY(emitter.builder().set_owned_value(number, std::move(value)));
  return emit_to_output(emitter, op, ANEURALNETWORKS_FILL, {shape, number});
}

Status emit_fill(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const std::vector<int32_t> sizes, emitter.integers(op, 0));
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  if (std::vector<uint32_t>(sizes.begin(), sizes.end()) != out.dimensions && !sizes.empty()) {
    return fail(op.where + ": its sizes must be those of its output");
  }
  const Tensor& value = emitter.input_tensor(op, 1);
  const bool is_number = value.type == format::TensorType_FLOAT32 || value.type == format::TensorType_FLOAT16 ||
                         value.type == format::TensorType_INT32;
  if (value.constant() && value.elements() == 1 && is_number && value.type == emitter.output_tensor(op).type) {
    return emit_filled(emitter, op, {value.data.begin(), value.data.end()});
  }
  TOOLS_ASSIGN(const uint32_t number, emitter.input(op, 1));
  const OperandInfo info = emitter.builder().operand(number);
  if (info.type != out.type || (is_quant8(out.type) && !info.same_quantization(out))) {
    return fail(op.where + ": its value must have the type of its output");
  }
  return emit_broadcast(emitter, op, number);
}

Status emit_zeros_like(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  const auto in = emitter.operand_info(op.inputs[0]);
  if (!in) return fail(op.where + ": " + in.error().message);
  if (in->type != out.type || in->dimensions != out.dimensions)
    return fail(op.where + ": its input and its output must have the same type and shape");
  if (is_quant8(out.type) || out.type == ANEURALNETWORKS_TENSOR_BOOL8)
    return fail(op.where + ": NNAPI cannot fill 8-bit tensors");
  return emit_filled(emitter, op, std::vector<uint8_t>(out.type == ANEURALNETWORKS_TENSOR_FLOAT16 ? 2 : 4));
}

Status emit_reverse(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(std::vector<int32_t> axes, emitter.integers(op, 1));
  const OperandInfo info = emitter.builder().operand(data);
  if (info.type == ANEURALNETWORKS_TENSOR_BOOL8 && axes.size() != 1)
    return fail(op.where + ": it can reverse BOOL8 along one axis only");
  for (size_t i = 0; i < axes.size(); ++i) {
    TOOLS_ASSIGN(const uint32_t axis, checked_axis(op, axes[i], info.dimensions.size()));
    TOOLS_ASSIGN(const uint32_t along, emitter.builder().add_int32_tensor(std::vector{static_cast<int32_t>(axis)}));
    const std::vector<uint32_t> inputs{data, along};
    if (i + 1 == axes.size()) return emit_moved(emitter, op, ANEURALNETWORKS_REVERSE, inputs);
    TOOLS_ASSIGN(data, emitter.emit_temporary(op, ANEURALNETWORKS_REVERSE, inputs, info));
  }
  return emit_reshape(emitter, op);  // no axis: a copy
}

// Emits SHAPE or RANK, which are known before an execution, unless a dimension is open.
Status emit_shape(Emitter& emitter, const Operator& op) {
  const Tensor& data = emitter.input_tensor(op, 0);
  std::vector<uint32_t> dimensions = data.dimensions;
  if (emitter.translation().options.open_dimensions) {
    for (size_t d = 0; d < data.open.size(); ++d) {
      if (data.open[d]) dimensions[d] = 0;
    }
  }
  TOOLS_TRY(check_closed(op, dimensions));
  return emitter.set_known(op, {dimensions.begin(), dimensions.end()});
}

Status emit_rank(Emitter& emitter, const Operator& op) {
  return emitter.set_known(op, {static_cast<int32_t>(emitter.input_tensor(op, 0).dimensions.size())});
}

constexpr auto kRows = std::to_array<Row>({
    {format::BuiltinOperator_RESHAPE, emit_reshape},
    {format::BuiltinOperator_SQUEEZE, emit_squeeze},
    {format::BuiltinOperator_EXPAND_DIMS, emit_expand_dims, 2},
    {format::BuiltinOperator_TRANSPOSE, emit_transpose, 2},
    {format::BuiltinOperator_TILE, emit_tile, 2},
    {format::BuiltinOperator_BROADCAST_TO, emit_broadcast_to, 2},
    {format::BuiltinOperator_FILL, emit_fill, 2},
    {format::BuiltinOperator_ZEROS_LIKE, emit_zeros_like},
    {format::BuiltinOperator_REVERSE_V2, emit_reverse, 2},
    {format::BuiltinOperator_SHAPE, emit_shape},
    {format::BuiltinOperator_RANK, emit_rank},
});

}  // namespace

std::span<const Row> shape_operators() { return kRows; }

}  // namespace nnvk::importers::tflite
