// Adds operands for tensors, and the operations that convert between real and quantized numbers.
#include "importers/tflite/emitter.h"

#include <fmt/format.h>

#include "importers/tflite/constants.h"

namespace nnvk::importers::tflite {
namespace {

// Checks that scales per channel are NNAPI's: symmetric, and none is 0.
Status check_symmetric(const Tensor& tensor) {
  for (size_t i = 0; i < tensor.scales.size(); ++i) {
    if (tensor.zero_points[i] != 0 || tensor.scales[i] <= 0) {
      return fail("has a zero point or a zero scale in a channel, but NNAPI allows neither");
    }
  }
  return {};
}

Status set_quantized_type(const Tensor& tensor, OperandInfo& info) {
  const bool is_unsigned = tensor.type == format::TensorType_UINT8;
  if (tensor.scales.size() > 1) {
    if (is_unsigned) return fail("has scales per channel, which NNAPI has for int8 only");
    info.type = ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL;
    return check_symmetric(tensor);
  }
  info.type = is_unsigned ? ANEURALNETWORKS_TENSOR_QUANT8_ASYMM : ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
  info.scale = tensor.scales.empty() ? 1.0F : tensor.scales[0];  // plain 8-bit integers, as CAST reads and writes them
  const int64_t zero = tensor.scales.empty() ? 0 : tensor.zero_points[0];
  if (info.scale <= 0) return fail(fmt::format("must have a scale above 0, but has {}", info.scale));
  const int64_t lowest = is_unsigned ? 0 : -128;
  if (zero < lowest || zero > lowest + 255)
    return fail(fmt::format("must have a zero point from {} to {}, but has {}", lowest, lowest + 255, zero));
  info.zero_point = static_cast<int32_t>(zero);
  return {};
}

Status set_type(const Tensor& tensor, OperandInfo& info) {
  switch (tensor.type) {
    case format::TensorType_FLOAT32:
      info.type = ANEURALNETWORKS_TENSOR_FLOAT32;
      return {};
    case format::TensorType_FLOAT16:
      info.type = ANEURALNETWORKS_TENSOR_FLOAT16;
      return {};
    case format::TensorType_INT32:
    case format::TensorType_INT64:
      info.type = ANEURALNETWORKS_TENSOR_INT32;
      return {};
    case format::TensorType_BOOL:
      info.type = ANEURALNETWORKS_TENSOR_BOOL8;
      return {};
    case format::TensorType_UINT8:
    case format::TensorType_INT8:
    case format::TensorType_INT4:  // constants only, which are unpacked
      return set_quantized_type(tensor, info);
    default:
      return fail("has a type that NNAPI does not have");
  }
}

}  // namespace

Result<OperandInfo> Emitter::operand_info(int index) const {
  const auto& source = tensor(index);
  if (source.variable) return fail(describe(graph_, index) + " keeps state between executions, which this operator does not");
  if (source.type == format::TensorType_INT4 && !source.constant()) {
    return fail(describe(graph_, index) + " must be constant, because NNAPI computes with 8 bits at least");
  }
  OperandInfo info;
  info.dimensions = source.dimensions.empty() ? std::vector<uint32_t>{1} : source.dimensions;
  for (const uint32_t d : info.dimensions) {
    if (d == 0) return fail(describe(graph_, index) + " has a dimension of 0, which NNAPI does not allow");
  }
  if (translation_.options.open_dimensions && !source.constant()) {
    for (size_t d = 0; d < source.open.size(); ++d) {
      if (source.open[d]) info.dimensions[d] = 0;
    }
  }
  if (const Status typed = set_type(source, info); !typed) {
    return fail(fmt::format("{} {}", describe(graph_, index), typed.error().message));
  }
  return info;
}

Result<std::span<const uint8_t>> Emitter::constant_bytes(int index) {
  const auto& source = tensor(index);
  if (is_plain(source)) return source.data;
  if (const auto found = plain_.find(index); found != plain_.end()) return found->second;
  TOOLS_TRY(
      translation_.budget.take_bytes(source.elements() * element_size(source.type), describe(graph_, index) + ", unpacked,"));
  auto bytes = plain_bytes(source);
  if (!bytes) return fail(fmt::format("{} {}", describe(graph_, index), bytes.error().message));
  return plain_[index] = builder_.keep(*std::move(bytes));
}

Result<uint32_t> Emitter::constant(int index, const OperandInfo& info) {
  const auto& source = tensor(index);
  TOOLS_ASSIGN(const std::span<const uint8_t> bytes, constant_bytes(index));
  if (info.type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL) {
    TOOLS_ASSIGN(const uint32_t operand, builder_.add_per_channel_operand(info, source.quantized_dimension, source.scales));
    TOOLS_TRY(builder_.set_value_in_place(operand, bytes));
    return operand;
  }
  TOOLS_ASSIGN(const uint32_t operand, builder_.add_operand(info));
  if (source.type != format::TensorType_INT64) {
    TOOLS_TRY(builder_.set_value_in_place(operand, bytes));
    return operand;
  }
  const auto values = narrow_integers(source, bytes);
  if (!values) return fail(describe(graph_, index) + " holds a value beyond 32 bits, which NNAPI does not have");
  TOOLS_TRY(builder_.set_owned_value(operand, bytes_of(*values)));
  return operand;
}

Result<uint32_t> Emitter::real_constant(int index) {
  const auto& source = tensor(index);
  TOOLS_TRY(translation_.budget.take_bytes(source.elements() * sizeof(float),
                                           fmt::format("tensor '{}' {} as floats", source.name, shape_text(source))));
  TOOLS_ASSIGN(const std::span<const uint8_t> bytes, constant_bytes(index));
  const auto values = real_values(source, bytes);
  if (!values) return fail(fmt::format("{} {}", describe(graph_, index), values.error().message));
  OperandInfo info{.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = source.dimensions};
  if (info.dimensions.empty()) info.dimensions = {1};
  TOOLS_ASSIGN(const uint32_t operand, builder_.add_operand(info));
  TOOLS_TRY(builder_.set_owned_value(operand, bytes_of(*values)));
  return operand;
}

Result<uint32_t> Emitter::input(const Operator& op, size_t position) {
  if (!has_input(op, position)) return fail(fmt::format("{}: input {} is missing", op.where, position));
  const int index = op.inputs[position];
  auto& slot = operands_[static_cast<size_t>(index)];
  if (slot) return *slot;
  if (!tensor(index).constant() && !alone_) {
    return fail(
        fmt::format("{}: input {} reads {} before any operator has written it", op.where, position, describe(graph_, index)));
  }
  const auto info = operand_info(index);
  if (!info) return fail(op.where + ": " + info.error().message);
  auto operand = tensor(index).constant() ? constant(index, *info) : builder_.add_operand(*info);
  if (!operand) return fail(op.where + ": " + operand.error().message);
  slot = *operand;
  return operand;
}

Result<std::vector<uint32_t>> Emitter::inputs_from(const Operator& op, size_t first) {
  std::vector<uint32_t> operands;
  for (size_t i = first; i < op.inputs.size(); ++i) {
    TOOLS_ASSIGN(const uint32_t operand, input(op, i));
    operands.push_back(operand);
  }
  return operands;
}

Result<uint32_t> Emitter::real_input(const Operator& op, size_t position) {
  if (!has_input(op, position)) return fail(fmt::format("{}: input {} is missing", op.where, position));
  const int index = op.inputs[position];
  if (tensor(index).constant() && tensor(index).type != format::TensorType_FLOAT32) {
    auto operand = real_constant(index);
    if (!operand) return fail(fmt::format("{}: input {}: {}", op.where, position, operand.error().message));
    return operand;
  }
  TOOLS_ASSIGN(const uint32_t operand, input(op, position));
  const int32_t type = builder_.operand(operand).type;
  if (type == ANEURALNETWORKS_TENSOR_FLOAT32) return operand;
  if (!is_quant8(type)) return fail(fmt::format("{}: input {} must be float32 or quantized", op.where, position));
  return dequantized(op, operand);
}

Result<uint32_t> Emitter::dequantized(const Operator& op, uint32_t operand) {
  const OperandInfo info = builder_.operand(operand);
  if (info.type == ANEURALNETWORKS_TENSOR_FLOAT32) return operand;
  if (!is_quant8(info.type)) return fail(op.where + ": it may not mix 8-bit and other inputs");
  return emit_temporary(op, ANEURALNETWORKS_DEQUANTIZE, std::span(&operand, 1),
                        {.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = info.dimensions});
}

Result<uint32_t> Emitter::output(const Operator& op, size_t position, const std::vector<uint32_t>& dimensions) {
  if (position >= op.outputs.size()) return fail(fmt::format("{}: output {} is missing", op.where, position));
  const int index = op.outputs[position];
  auto& slot = operands_[static_cast<size_t>(index)];
  if ((slot && !alone_) || tensor(index).constant()) {
    return fail(fmt::format("{}: it may not write {}, which already has a value", op.where, describe(graph_, index)));
  }
  auto info = operand_info(index);
  if (!info) return fail(op.where + ": " + info.error().message);
  if (!dimensions.empty()) {
    info->dimensions = dimensions;
    TOOLS_TRY(translation_.budget.take_bytes(info->bytes(), fmt::format("{}: its output {}", op.where, to_string(*info))));
  }
  TOOLS_ASSIGN(slot, builder_.add_operand(*info));
  return *slot;
}

Result<uint32_t> Emitter::model_input(int index) {
  auto& slot = operands_[static_cast<size_t>(index)];
  if (tensor(index).constant()) return fail(fmt::format("model input {} may not be a constant", describe(graph_, index)));
  const auto info = operand_info(index);
  if (!info) return fail("model input " + info.error().message);
  TOOLS_ASSIGN(const uint32_t operand, builder_.add_operand(*info));
  if (!slot) slot = operand;
  return operand;
}

Result<uint32_t> Emitter::returned(int index) {
  auto& slot = operands_[static_cast<size_t>(index)];
  if (slot) return *slot;
  if (!tensor(index).constant()) return fail("no operator writes the model's output '" + tensor(index).name + "'");
  const auto info = operand_info(index);
  if (!info) return fail("model output " + info.error().message);
  TOOLS_ASSIGN(slot, constant(index, *info));
  return *slot;
}

Result<std::vector<int32_t>> Emitter::integers_of(int index) const {
  if (const auto found = known_.find(index); found != known_.end()) return found->second;
  const auto& source = tensor(index);
  const bool integers = source.type == format::TensorType_INT32 || source.type == format::TensorType_INT64;
  if (!source.constant() || !is_plain(source) || !integers) {
    return fail(describe(graph_, index) + ", must be a constant of integers");
  }
  auto values = narrow_integers(source, source.data);
  if (!values) return fail(describe(graph_, index) + ", holds a value beyond 32 bits");
  return *std::move(values);
}

Result<std::vector<int32_t>> Emitter::integers(const Operator& op, size_t position) const {
  if (!has_input(op, position)) return fail(fmt::format("{}: input {} is missing", op.where, position));
  auto values = integers_of(op.inputs[position]);
  if (!values) return fail(fmt::format("{}: input {}, {}", op.where, position, values.error().message));
  return values;
}

std::optional<std::vector<int32_t>> Emitter::known_integers(const Operator& op, size_t position) const {
  if (!has_input(op, position)) return std::nullopt;
  auto values = integers_of(op.inputs[position]);
  return values ? std::optional(*std::move(values)) : std::nullopt;
}

Result<int32_t> Emitter::integer(const Operator& op, size_t position, std::string_view what) const {
  TOOLS_ASSIGN(const std::vector<int32_t> values, integers(op, position));
  if (values.size() != 1) return fail(fmt::format("{}: {} must be one integer", op.where, what));
  return values[0];
}

Status Emitter::set_known(const Operator& op, std::vector<int32_t> values) {
  const int index = op.outputs.at(0);
  TOOLS_ASSIGN(const uint32_t operand, output(op));
  const OperandInfo info = builder_.operand(operand);
  if (info.type != ANEURALNETWORKS_TENSOR_INT32 || info.elements() != values.size()) {
    return fail(
        fmt::format("{}: its result has {} integers and not the type and shape {}", op.where, values.size(), to_string(info)));
  }
  TOOLS_TRY(builder_.set_owned_value(operand, bytes_of(values)));
  known_[index] = std::move(values);
  return {};
}

Result<uint32_t> Emitter::temporary(const OperandInfo& info) {
  TOOLS_TRY(translation_.budget.take_bytes(info.bytes(), "an intermediate result, " + to_string(info) + ","));
  return builder_.add_operand(info);
}

Result<uint32_t> Emitter::zeros(const OperandInfo& info) {
  TOOLS_TRY(translation_.budget.take_bytes(info.bytes(), "a tensor of zeros, " + to_string(info) + ","));
  TOOLS_ASSIGN(const uint32_t operand, builder_.add_operand(info));
  TOOLS_TRY(builder_.set_owned_value(operand, std::vector<uint8_t>(info.bytes())));
  return operand;
}

Result<uint32_t> Emitter::emit_temporary(const Operator& op, int32_t code, std::span<const uint32_t> inputs,
                                         const OperandInfo& info) {
  TOOLS_ASSIGN(const uint32_t result, temporary(info));
  TOOLS_TRY(emit(op, code, inputs, std::span(&result, 1)));
  return result;
}

Status Emitter::emit_same_quantization(const Operator& op, int32_t code, std::vector<uint32_t> inputs) {
  TOOLS_ASSIGN(const OperandInfo out, operand_info(op.outputs.at(0)));
  if (is_quant8(out.type) && !builder_.operand(inputs[0]).same_quantization(out)) {
    return emit_in_float(op, code, std::move(inputs), 1);
  }
  TOOLS_ASSIGN(const uint32_t target, output(op));
  return emit(op, code, inputs, std::span(&target, 1));
}

Status Emitter::emit_in_float(const Operator& op, int32_t code, std::vector<uint32_t> inputs, size_t data_inputs) {
  for (size_t i = 0; i < data_inputs; ++i) {
    TOOLS_ASSIGN(inputs[i], dequantized(op, inputs[i]));
  }
  TOOLS_ASSIGN(const OperandInfo out, operand_info(op.outputs.at(0)));
  TOOLS_ASSIGN(const uint32_t real,
               emit_temporary(op, code, inputs, {.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = out.dimensions}));
  return real_to_output(op, real);
}

Status Emitter::real_to_output(const Operator& op, uint32_t real) {
  TOOLS_ASSIGN(const uint32_t target, output(op));
  if (!is_quant8(builder_.operand(target).type)) return fail(op.where + ": its result must be 8-bit like its inputs");
  return emit(op, ANEURALNETWORKS_QUANTIZE, std::span(&real, 1), std::span(&target, 1));
}

}  // namespace nnvk::importers::tflite
