// Checks of single operands that shape functions share.
#include "core/operations/rules/operand_expectations.h"

#include <algorithm>
#include <cmath>

#include "core/base/half.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

Status expect(bool holds, size_t i, const char* rule, const std::string& value) {
  if (holds) return {};
  return fail(Code::kOpFailed, input_name(i) + " must be " + rule + ", is " + value);
}

}  // namespace

uint32_t dimension_of(const OperationView& operation, size_t i, size_t d) {
  if (!operation.has(i)) return kUnknownDimension;
  const Shape& shape = operation.shape(i);
  return shape.rank_known && d < shape.rank() ? shape[d] : kUnknownDimension;
}

Status expect_shape(const OperationView& operation, size_t i, std::initializer_list<uint32_t> dims) {
  if (!operation.has(i)) return {};
  if (merge_shapes(operation.shape(i), Shape(dims))) return {};
  return fail(Code::kOpFailed,
              input_name(i) + " must have shape " + Shape(dims).to_string() + ", has " + operation.shape(i).to_string());
}

Presence presence_of(const OperationView& operation, size_t i) {
  if (!operation.has(i)) return Presence::kOmitted;
  return operation.shape(i).fully_known() ? Presence::kGiven : Presence::kUncertain;
}

Status expect_optional_shape(const OperationView& operation, size_t i, std::initializer_list<uint32_t> dims) {
  return presence_of(operation, i) == Presence::kUncertain ? Status{} : expect_shape(operation, i, dims);
}

std::optional<float> float_scalar(const OperationView& operation, size_t i) {
  if (!operation.has(i)) return std::nullopt;
  if (operation.input(i).type != OperandType::kFloat16) return operation.scalar<float>(i);
  const auto bits = operation.scalar<uint16_t>(i);
  if (!bits) return std::nullopt;
  return half_to_float(*bits);
}

Status expect_int_at_least(const OperationView& operation, size_t i, int32_t least) {
  const auto value = operation.scalar<int32_t>(i);
  if (!value || *value >= least) return {};
  return fail(Code::kOpFailed, input_name(i) + " must be at least " + std::to_string(least) + ", is " + std::to_string(*value));
}

Status expect_positive(const OperationView& operation, size_t i) {
  const auto value = float_scalar(operation, i);
  return value ? expect(*value > 0.0F, i, "positive", std::to_string(*value)) : Status{};
}

Status expect_not_negative(const OperationView& operation, size_t i) {
  const auto value = float_scalar(operation, i);
  return value ? expect(*value >= 0.0F, i, "at least 0", std::to_string(*value)) : Status{};
}

Status expect_box_quantization(const OperandInfo& operand, const std::string& what) {
  if (operand.type != OperandType::kTensorQuant16Asymm) return {};
  return check_quantization(operand, 0.125F, 0, what, Code::kOpFailed);
}

Status expect_quantization_of_input(const OperationView& operation) {
  if (!is_quant8_asymm(operation.input(0).type) || operation.outputs.empty()) return {};
  return check_same_quantization(operation.input(0), *operation.outputs[0], "input 0 and output 0", Code::kOpFailed);
}

Status expect_channel_dimension(const OperandInfo& filter, uint32_t channel_dim) {
  if (filter.type != OperandType::kTensorQuant8SymmPerChannel) return {};
  if (filter.channel_quant == nullptr) {
    return fail(Code::kBadData, "the per-channel filter has no scales: call setOperandSymmPerChannelQuantParams first");
  }
  if (filter.channel_quant->channel_dim == channel_dim) return {};
  return fail(Code::kBadData, "the per-channel filter must have channelDim " + std::to_string(channel_dim) + ", has " +
                                  std::to_string(filter.channel_quant->channel_dim));
}

Status check_bias_scale(const OperandInfo& input, const OperandInfo& filter, const OperandInfo& bias) {
  if (!is_quant8_asymm(input.type)) return {};
  if (bias.zero_point != 0) return fail(Code::kOpFailed, "the bias zero point must be 0, is " + std::to_string(bias.zero_point));
  if (filter.type == OperandType::kTensorQuant8SymmPerChannel) return {};  // scales come from the filter's channels
  const float product = input.scale * filter.scale;
  const double difference = std::fabs(static_cast<double>(product) - bias.scale);
  if (difference <= 1e-6 * std::min(product, bias.scale)) return {};
  return fail(Code::kOpFailed, "the bias scale must be input scale * filter scale = " + std::to_string(product) + ", is " +
                                   std::to_string(bias.scale));
}

int product_scale_level(const OperationView& operation) {
  const OperandInfo& filter = operation.input(1);
  if (filter.type != OperandType::kTensorQuant8Asymm) return 1;
  return operation.outputs[0]->scale > operation.input(0).scale * filter.scale ? 1 : 3;
}

int rank_4_level(const OperationView& operation) {
  const auto rank = known_rank(operation, 0);
  return rank && *rank != 4 ? 3 : 1;
}

Status check_activation(std::optional<int32_t> activation) {
  if (!activation || (*activation >= 0 && *activation <= 3)) return {};
  return fail(Code::kOpFailed, "the activation must be 0..3, is " + std::to_string(*activation));
}

}  // namespace nnvk
