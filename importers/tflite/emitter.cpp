// Adds operands for tensors, and extra operations for everything that TensorFlow Lite allows but NNAPI does not.
#include "importers/tflite/emitter.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace nnvk::importers::tflite {
namespace {

template <class T>
std::vector<uint8_t> to_bytes(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// The values of an INT32 or INT64 tensor; nothing if one does not fit in 32 bits.
std::optional<std::vector<int32_t>> narrowed(const Tensor& tensor) {
  std::vector<int32_t> values(tensor.elements());
  if (tensor.type == format::TensorType_INT32) {
    if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
    return values;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t wide = 0;
    std::memcpy(&wide, tensor.data.data() + i * sizeof wide, sizeof wide);
    if (wide < std::numeric_limits<int32_t>::min() || wide > std::numeric_limits<int32_t>::max()) return std::nullopt;
    values[i] = static_cast<int32_t>(wide);
  }
  return values;
}

bool is_integer(const Tensor& tensor) {
  return tensor.type == format::TensorType_INT32 || tensor.type == format::TensorType_INT64;
}

// The index of the scale for element i of a per-channel tensor.
size_t channel_of(const Tensor& tensor, size_t i) {
  if (tensor.scales.size() == 1) return 0;
  size_t inner = 1;
  for (size_t d = tensor.quantized_dimension + 1; d < tensor.dimensions.size(); ++d) inner *= tensor.dimensions[d];
  return (i / inner) % tensor.dimensions[tensor.quantized_dimension];
}

// The value of element i of a constant with 8, 16 or 32-bit integers.
double stored_integer(const Tensor& tensor, size_t i) {
  const auto load = [&](auto zero) -> double {
    std::memcpy(&zero, tensor.data.data() + i * sizeof zero, sizeof zero);
    return zero;
  };
  switch (tensor.type) {
    case format::TensorType_INT8:
      return load(int8_t{});
    case format::TensorType_INT16:
      return load(int16_t{});
    case format::TensorType_INT32:
      return load(int32_t{});
    default:
      return load(uint8_t{});
  }
}

}  // namespace

Result<OperandInfo> Emitter::operand_info(int index) const {
  const auto& source = tensor(index);
  if (source.variable) return fail(describe(graph_, index) + " keeps state between executions, which is not supported");
  OperandInfo info;
  info.dimensions = source.dimensions.empty() ? std::vector<uint32_t>{1} : source.dimensions;
  for (const uint32_t d : info.dimensions) {
    if (d == 0) return fail(describe(graph_, index) + " has a dimension of 0");
  }
  const bool quantized = !source.scales.empty();
  const auto quantize = [&](int32_t type, int64_t lowest, int64_t highest) -> Status {
    info.type = type;
    info.scale = quantized ? source.scales[0] : 1.0f;  // plain 8-bit integers, as CAST reads and writes them
    const int64_t zero = quantized ? source.zero_points[0] : 0;
    if (info.scale <= 0) return fail(fmt::format("{} has scale {}", describe(graph_, index), info.scale));
    if (zero < lowest || zero > highest) return fail(fmt::format("{} has zero point {}", describe(graph_, index), zero));
    info.zero_point = static_cast<int32_t>(zero);
    return {};
  };
  switch (source.type) {
    case format::TensorType_FLOAT32:
      info.type = ANEURALNETWORKS_TENSOR_FLOAT32;
      return info;
    case format::TensorType_FLOAT16:
      info.type = ANEURALNETWORKS_TENSOR_FLOAT16;
      return info;
    case format::TensorType_INT32:
    case format::TensorType_INT64:
      info.type = ANEURALNETWORKS_TENSOR_INT32;
      return info;
    case format::TensorType_BOOL:
      info.type = ANEURALNETWORKS_TENSOR_BOOL8;
      return info;
    case format::TensorType_UINT8:
      if (source.scales.size() > 1)
        return fail(describe(graph_, index) + " has scales per channel, which NNAPI has for int8 only");
      TOOLS_TRY(quantize(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 0, 255));
      return info;
    case format::TensorType_INT8:
      if (source.scales.size() > 1) {
        for (size_t i = 0; i < source.scales.size(); ++i) {
          if (source.zero_points[i] != 0 || source.scales[i] <= 0) {
            return fail(describe(graph_, index) + " has a zero point or a zero scale in a channel; NNAPI's are symmetric");
          }
        }
        info.type = ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL;
        return info;
      }
      TOOLS_TRY(quantize(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, -128, 127));
      return info;
    default:
      return fail(describe(graph_, index) + " has a type that NNAPI does not have");
  }
}

Result<uint32_t> Emitter::constant(int index, const OperandInfo& info) {
  const auto& source = tensor(index);
  if (info.type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL) {
    TOOLS_ASSIGN(const uint32_t operand, builder_.add_per_channel_operand(info, source.quantized_dimension, source.scales));
    TOOLS_TRY(builder_.set_value(operand, source.data));
    return operand;
  }
  TOOLS_ASSIGN(const uint32_t operand, builder_.add_operand(info));
  if (source.type == format::TensorType_INT64) {
    const auto values = narrowed(source);
    if (!values) return fail(describe(graph_, index) + " holds a value beyond 32 bits, which NNAPI does not have");
    TOOLS_TRY(builder_.set_owned_value(operand, to_bytes(*values)));
  } else {
    TOOLS_TRY(builder_.set_value(operand, source.data));
  }
  return operand;
}

Result<uint32_t> Emitter::input(const Operator& op, size_t position) {
  if (!has_input(op, position)) return fail(fmt::format("{}: input {} is missing", op.where, position));
  const int index = op.inputs[position];
  auto& slot = operands_[static_cast<size_t>(index)];
  if (slot) return *slot;
  if (!tensor(index).constant()) {
    return fail(
        fmt::format("{}: input {} reads {} before any operator has written it", op.where, position, describe(graph_, index)));
  }
  const auto info = operand_info(index);
  if (!info) return fail(op.where + ": " + info.error().message);
  auto operand = constant(index, *info);
  if (!operand) return fail(op.where + ": " + operand.error().message);
  slot = *operand;
  return operand;
}

Result<uint32_t> Emitter::real_input(const Operator& op, size_t position) {
  if (!has_input(op, position)) return fail(fmt::format("{}: input {} is missing", op.where, position));
  const auto& source = input_tensor(op, position);
  const bool integers = source.type == format::TensorType_INT8 || source.type == format::TensorType_UINT8 ||
                        source.type == format::TensorType_INT16 || source.type == format::TensorType_INT32;
  if (source.constant() && integers) {
    if (source.scales.empty()) return fail(fmt::format("{}: input {} holds integers without a scale", op.where, position));
    return dequantized_constant(source);
  }
  TOOLS_ASSIGN(const uint32_t operand, input(op, position));
  const OperandInfo info = builder_.operand(operand);
  if (info.type == ANEURALNETWORKS_TENSOR_FLOAT32) return operand;
  if (!is_quant8(info.type)) return fail(fmt::format("{}: input {} is neither float32 nor quantized", op.where, position));
  TOOLS_ASSIGN(const uint32_t real, temporary({.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = info.dimensions}));
  TOOLS_TRY(emit(op, ANEURALNETWORKS_DEQUANTIZE, std::span(&operand, 1), std::span(&real, 1)));
  return real;
}

Result<uint32_t> Emitter::output(const Operator& op, size_t position, const std::vector<uint32_t>& dimensions) {
  if (position >= op.outputs.size()) return fail(fmt::format("{}: output {} is missing", op.where, position));
  const int index = op.outputs[position];
  auto& slot = operands_[static_cast<size_t>(index)];
  if (slot || tensor(index).constant()) {
    return fail(fmt::format("{}: writes {}, which already has a value", op.where, describe(graph_, index)));
  }
  auto info = operand_info(index);
  if (!info) return fail(op.where + ": " + info.error().message);
  if (!dimensions.empty()) {
    info->dimensions = dimensions;
    TOOLS_TRY(budget_.take_bytes(info->bytes(), fmt::format("{}: its output {}", op.where, to_string(*info))));
  }
  TOOLS_ASSIGN(slot, builder_.add_operand(*info));
  return *slot;
}

Result<uint32_t> Emitter::model_input(int index) {
  auto& slot = operands_[static_cast<size_t>(index)];
  if (slot || tensor(index).constant()) {
    return fail(fmt::format("model input {} is a constant or listed twice", describe(graph_, index)));
  }
  const auto info = operand_info(index);
  if (!info) return fail("model input " + info.error().message);
  TOOLS_ASSIGN(slot, builder_.add_operand(*info));
  return *slot;
}

Result<std::vector<int32_t>> Emitter::integers(const Operator& op, size_t position) const {
  if (!has_input(op, position)) return fail(fmt::format("{}: input {} is missing", op.where, position));
  const int index = op.inputs[position];
  const auto& source = tensor(index);
  if (!source.constant() || !is_integer(source)) {
    return fail(fmt::format("{}: input {}, {}, must be a constant of integers", op.where, position, describe(graph_, index)));
  }
  auto values = narrowed(source);
  if (!values) return fail(fmt::format("{}: {} holds a value beyond 32 bits", op.where, describe(graph_, index)));
  return *std::move(values);
}

Result<uint32_t> Emitter::temporary(const OperandInfo& info) {
  TOOLS_TRY(budget_.take_bytes(info.bytes(), "an intermediate result, " + to_string(info) + ","));
  return builder_.add_operand(info);
}

Result<uint32_t> Emitter::zeros(const OperandInfo& info) {
  TOOLS_TRY(budget_.take_bytes(info.bytes(), "a tensor of zeros, " + to_string(info) + ","));
  TOOLS_ASSIGN(const uint32_t operand, builder_.add_operand(info));
  TOOLS_TRY(builder_.set_owned_value(operand, std::vector<uint8_t>(info.bytes())));
  return operand;
}

Result<uint32_t> Emitter::dequantized_constant(const Tensor& source) {
  TOOLS_TRY(budget_.take_bytes(source.elements() * sizeof(float),
                               fmt::format("tensor '{}' {} as floats", source.name, shape_text(source))));
  std::vector<float> values(source.elements());
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t channel = channel_of(source, i);
    values[i] =
        source.scales[channel] * static_cast<float>(stored_integer(source, i) - static_cast<double>(source.zero_points[channel]));
  }
  OperandInfo info{.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = source.dimensions};
  if (info.dimensions.empty()) info.dimensions = {1};
  TOOLS_ASSIGN(const uint32_t operand, builder_.add_operand(info));
  TOOLS_TRY(builder_.set_owned_value(operand, to_bytes(values)));
  return operand;
}

Result<Weights> Emitter::weights(const Operator& op, size_t position, uint32_t data, uint32_t channel_dimension) {
  if (!has_input(op, position)) return fail(op.where + ": it has no weights");
  const int index = op.inputs[position];
  const auto& source = tensor(index);
  // Devices keep a reordered copy of the weights for each operator that reads them, so the budget counts the copy.
  TOOLS_TRY(budget_.take_bytes(source.data.size(), op.where + ": a copy of its weights"));
  const bool eight_bit = source.type == format::TensorType_INT8 || source.type == format::TensorType_UINT8;
  const int32_t data_type = builder_.operand(data).type;
  Weights result;
  if (!is_quant8(data_type)) {
    if (source.constant() && eight_bit && !source.scales.empty()) {  // weights compressed to 8 bits of a float layer
      TOOLS_ASSIGN(result.operand, dequantized_constant(source));
    } else {
      TOOLS_ASSIGN(result.operand, input(op, position));
    }
    return result;
  }
  if (!eight_bit || source.scales.empty()) return fail(op.where + ": 8-bit data with weights of another type");
  result.scales = source.scales;
  const bool widen = source.type == format::TensorType_INT8 && data_type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
  if (source.scales.size() == 1 && !widen) {
    TOOLS_ASSIGN(result.operand, input(op, position));
    return result;
  }
  // Weights with scales per channel, or signed weights of unsigned data, which NNAPI accepts only as per-channel weights.
  if (channel_dimension >= source.dimensions.size()) return fail(op.where + ": weights have too few dimensions");
  if (source.scales.size() > 1 && source.quantized_dimension != channel_dimension) {
    return fail(fmt::format("{}: weights have a scale per element of dimension {}; NNAPI has them for dimension {}", op.where,
                            source.quantized_dimension, channel_dimension));
  }
  if (!source.constant()) return fail(op.where + ": weights with a scale per channel must be constant");
  if (source.scales.size() == 1 && source.zero_points[0] != 0) return fail(op.where + ": signed weights with a zero point");
  TOOLS_ASSIGN(OperandInfo info, operand_info(index));
  info = {.type = ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, .dimensions = info.dimensions};
  if (source.scales.size() == 1) result.scales.assign(source.dimensions[channel_dimension], source.scales[0]);
  result.per_channel = true;
  TOOLS_ASSIGN(result.operand, builder_.add_per_channel_operand(info, channel_dimension, result.scales));
  TOOLS_TRY(builder_.set_value(result.operand, source.data));
  return result;
}

Result<uint32_t> Emitter::bias(const Operator& op, size_t position, uint32_t data, const Weights& weights, uint32_t channels) {
  const OperandInfo& data_info = builder_.operand(data);
  const bool quantized = is_quant8(data_info.type);
  OperandInfo info{.type = quantized ? static_cast<int32_t>(ANEURALNETWORKS_TENSOR_INT32) : data_info.type,
                   .dimensions = {channels}};
  // NNAPI requires the bias to declare the product of the data's and the weights' scales, or 0 with scales per channel.
  if (quantized && !weights.per_channel) info.scale = data_info.scale * weights.scales[0];
  if (!has_input(op, position)) return zeros(info);
  if (!quantized) return input(op, position);
  const auto& source = input_tensor(op, position);
  if (!source.constant() || source.type != format::TensorType_INT32 || source.elements() != channels) {
    return fail(fmt::format("{}: the bias of an 8-bit layer must be {} constant 32-bit integers", op.where, channels));
  }
  TOOLS_ASSIGN(const uint32_t operand, builder_.add_operand(info));
  TOOLS_TRY(builder_.set_value(operand, source.data));
  return operand;
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
    OperandInfo info = builder_.operand(inputs[i]);
    if (!is_quant8(info.type)) return fail(op.where + ": mixes 8-bit and other inputs");
    info = {.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = info.dimensions};
    TOOLS_ASSIGN(const uint32_t real, temporary(info));
    TOOLS_TRY(emit(op, ANEURALNETWORKS_DEQUANTIZE, std::span(&inputs[i], 1), std::span(&real, 1)));
    inputs[i] = real;
  }
  TOOLS_ASSIGN(const uint32_t target, output(op));
  TOOLS_ASSIGN(const uint32_t real,
               temporary({.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = builder_.operand(target).dimensions}));
  TOOLS_TRY(emit(op, code, inputs, std::span(&real, 1)));
  return emit(op, ANEURALNETWORKS_QUANTIZE, std::span(&real, 1), std::span(&target, 1));
}

Result<Activated> Activated::begin(Emitter& emitter, const Operator& op, format::Activation activation, bool fuses) {
  Activated result;
  TOOLS_ASSIGN(result.output_, emitter.output(op));
  result.target_ = result.output_;
  const auto choose = [&](int32_t fused, int32_t separate) {
    if (fuses && fused != ANEURALNETWORKS_FUSED_NONE) {
      result.fuse_code_ = fused;
    } else {
      result.separate_ = separate;
    }
  };
  switch (activation) {
    case format::Activation_NONE:
      return result;
    case format::Activation_RELU:
      choose(ANEURALNETWORKS_FUSED_RELU, ANEURALNETWORKS_RELU);
      break;
    case format::Activation_RELU_N1_TO_1:
      choose(ANEURALNETWORKS_FUSED_RELU1, ANEURALNETWORKS_RELU1);
      break;
    case format::Activation_RELU6:
      choose(ANEURALNETWORKS_FUSED_RELU6, ANEURALNETWORKS_RELU6);
      break;
    case format::Activation_TANH:
      choose(ANEURALNETWORKS_FUSED_NONE, ANEURALNETWORKS_TANH);
      break;
    default:
      return fail(fmt::format("{}: activation {} is not supported", op.where, static_cast<int>(activation)));
  }
  if (result.separate_) {
    const OperandInfo info = emitter.builder().operand(result.output_);
    if (*result.separate_ == ANEURALNETWORKS_TANH && is_quant8(info.type)) {
      return fail(op.where + ": a fused TANH on 8-bit data is not supported");
    }
    TOOLS_ASSIGN(result.target_, emitter.temporary(info));
  }
  return result;
}

Status Activated::end(Emitter& emitter, const Operator& op) const {
  if (!separate_) return {};
  return emitter.emit(op, *separate_, std::span(&target_, 1), std::span(&output_, 1));
}

}  // namespace nnvk::importers::tflite
