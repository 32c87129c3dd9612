// Operands of layers: weights and biases in the types that NNAPI wants, states, and activations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "importers/tflite/constants.h"
#include "importers/tflite/emitter.h"

namespace nnvk::importers::tflite {
namespace {

bool is_eight_bit(const Tensor& tensor) {
  return tensor.type == format::TensorType_INT8 || tensor.type == format::TensorType_UINT8 ||
         tensor.type == format::TensorType_INT4;
}

}  // namespace

Result<Weights> Emitter::weights(const Operator& op, size_t position, uint32_t data, uint32_t channel_dimension,
                                 const std::vector<uint32_t>& dimensions) {
  if (!has_input(op, position)) return fail(op.where + ": it has no weights");
  const int index = op.inputs[position];
  const auto& source = tensor(index);
  // Devices keep a reordered copy of the weights for each operator that reads them, so the budget counts the copy.
  TOOLS_TRY(translation_.budget.take_bytes(source.elements() * element_size(source.type), op.where + ": a copy of its weights"));
  const int32_t data_type = builder_.operand(data).type;
  Weights result;
  if (!is_quant8(data_type)) {
    const bool is_real = data_type == ANEURALNETWORKS_TENSOR_FLOAT32;
    TOOLS_ASSIGN(result.operand, is_real ? real_input(op, position) : input(op, position));
    return result;
  }
  if (!is_eight_bit(source) || source.scales.empty()) return fail(op.where + ": its weights must be 8-bit, as its data are");
  result.scales = source.scales;
  const bool widen = source.type != format::TensorType_UINT8 && data_type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
  if (source.scales.size() == 1 && !widen) {
    TOOLS_ASSIGN(result.operand, input(op, position));
    return result;
  }
  // Weights with scales per channel, or signed weights of unsigned data, which NNAPI accepts only as per-channel weights.
  if (channel_dimension >= source.dimensions.size()) return fail(op.where + ": its weights have too few dimensions");
  if (source.scales.size() > 1 && source.quantized_dimension != channel_dimension) {
    return fail(
        fmt::format("{}: its weights have a scale per element of dimension {}, but NNAPI allows them only for dimension {}",
                    op.where, source.quantized_dimension, channel_dimension));
  }
  if (!source.constant()) return fail(op.where + ": weights with a scale per channel must be constant");
  if (source.scales.size() == 1 && source.zero_points[0] != 0)
    return fail(op.where + ": its signed weights must have zero point 0");
  TOOLS_ASSIGN(OperandInfo info, operand_info(index));
  info = {.type = ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL,
          .dimensions = dimensions.empty() ? info.dimensions : dimensions};
  if (source.scales.size() == 1) result.scales.assign(source.dimensions[channel_dimension], source.scales[0]);
  result.per_channel = true;
  TOOLS_ASSIGN(const std::span<const uint8_t> bytes, constant_bytes(index));
  TOOLS_ASSIGN(result.operand, builder_.add_per_channel_operand(info, channel_dimension, result.scales));
  TOOLS_TRY(builder_.set_value_in_place(result.operand, bytes));
  return result;
}

Result<uint32_t> Emitter::bias(const Operator& op, size_t position, uint32_t data, const Weights& weights, uint32_t channels) {
  const OperandInfo data_info = builder_.operand(data);
  const bool quantized = is_quant8(data_info.type);
  OperandInfo info{.type = quantized ? static_cast<int32_t>(ANEURALNETWORKS_TENSOR_INT32) : data_info.type,
                   .dimensions = {channels}};
  // NNAPI requires the bias to declare the product of the data's and the weights' scales, or 0 with scales per channel.
  if (quantized && !weights.per_channel) info.scale = data_info.scale * weights.scales[0];
  if (!has_input(op, position)) return zeros(info);
  if (!quantized) return info.type == ANEURALNETWORKS_TENSOR_FLOAT32 ? real_input(op, position) : input(op, position);
  const auto& source = input_tensor(op, position);
  if (!source.constant() || source.elements() != channels) {
    return fail(fmt::format("{}: the bias of an 8-bit layer must be {} constants", op.where, channels));
  }
  if (source.type != format::TensorType_INT32) {
    auto operand = converted_bias(op.inputs[position], info, weights, data_info.scale);
    if (!operand) return fail(op.where + ": " + operand.error().message);
    return operand;
  }
  TOOLS_ASSIGN(const uint32_t operand, builder_.add_operand(info));
  TOOLS_ASSIGN(const std::span<const uint8_t> bytes, constant_bytes(op.inputs[position]));
  TOOLS_TRY(builder_.set_value_in_place(operand, bytes));
  return operand;
}

// Adds a bias in another type (8 bits with scales of their own, 64 bits, floats) in units of the layer's sums.
Result<uint32_t> Emitter::converted_bias(int index, const OperandInfo& info, const Weights& weights, float data_scale) {
  TOOLS_ASSIGN(const std::span<const uint8_t> bytes, constant_bytes(index));
  const auto reals = real_values(tensor(index), bytes);
  if (!reals) return fail(fmt::format("{} {}", describe(graph_, index), reals.error().message));
  std::vector<int32_t> values(reals->size());
  for (size_t i = 0; i < values.size(); ++i) {
    const double unit = static_cast<double>(data_scale) * weights.scales[weights.scales.size() == 1 ? 0 : i];
    const double value = std::nearbyint((*reals)[i] / unit);
    if (!(std::abs(value) < 2147483648.0))
      return fail(fmt::format("{} has a value that does not fit in 32 bits", describe(graph_, index)));
    values[i] = static_cast<int32_t>(value);
  }
  TOOLS_ASSIGN(const uint32_t operand, builder_.add_operand(info));
  TOOLS_TRY(builder_.set_owned_value(operand, bytes_of(values)));
  return operand;
}

Result<State> Emitter::state(const Operator& op, size_t position) {
  if (!has_input(op, position)) return fail(fmt::format("{}: input {} is missing", op.where, position));
  const int index = op.inputs[position];
  const auto& source = tensor(index);
  if (!source.variable) {
    TOOLS_ASSIGN(const uint32_t operand, real_input(op, position));
    return State{.operand = operand, .variable = {}};
  }
  // Real numbers whatever the file's type: the operations compute them.
  const OperandInfo info{.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = source.dimensions};
  if (info.elements() == 0) return fail(op.where + ": its state must have at least one element");
  if (!translation_.options.keep_states) {
    auto operand = zeros(info);
    if (!operand) return fail(fmt::format("{}: state {}: {}", op.where, position, operand.error().message));
    return State{.operand = *operand, .variable = {}};
  }
  if (kept_.contains(index))
    return fail(fmt::format("{}: its state {} may not belong to another operator too", op.where, position));
  auto operand = temporary(info);
  if (!operand) return fail(fmt::format("{}: state {}: {}", op.where, position, operand.error().message));
  kept_[index] = {.name = source.name, .input = *operand, .output = {}};
  return State{.operand = *operand, .variable = index};
}

Result<uint32_t> Emitter::new_state(const State& state) {
  TOOLS_ASSIGN(const uint32_t operand, temporary(OperandInfo(builder_.operand(state.operand))));
  if (state.variable) kept_[*state.variable].output = operand;
  return operand;
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
      return fail(fmt::format("{}: the importer does not support activation {}", op.where, static_cast<int>(activation)));
  }
  if (result.separate_) {
    const OperandInfo info = emitter.builder().operand(result.output_);
    if (*result.separate_ == ANEURALNETWORKS_TANH && is_quant8(info.type)) {
      return fail(op.where + ": the importer does not support TANH as activation of 8-bit data");
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
