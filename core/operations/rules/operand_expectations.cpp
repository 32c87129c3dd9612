// Checks of single operands that shape functions share.
#include "core/operations/rules/operand_expectations.h"

#include "core/base/half.h"
#include "core/base/shortest_text.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

Status expect(bool holds, size_t i, const std::string& rule, const std::string& value) {
  if (holds) return {};
  return fail(Code::kOpFailed, input_name(i) + " must be " + rule + ", but is " + value);
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
              input_name(i) + " must have shape " + Shape(dims).to_string() + ", but has " + operation.shape(i).to_string());
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
  return value ? expect(*value >= least, i, "at least " + std::to_string(least), std::to_string(*value)) : Status{};
}

Status expect_positive(const OperationView& operation, size_t i) {
  const auto value = float_scalar(operation, i);
  return value ? expect(*value > 0.0F, i, "positive", shortest_text(*value)) : Status{};
}

Status expect_not_negative(const OperationView& operation, size_t i) {
  const auto value = float_scalar(operation, i);
  return value ? expect(*value >= 0.0F, i, "at least 0", shortest_text(*value)) : Status{};
}

Status expect_axis(const OperationView& operation, size_t i) {
  const auto axis = operation.scalar<int32_t>(i);
  const auto rank = known_rank(operation, kFirstInput);
  if (!axis || !rank) return {};
  NNVK_TRY(normalize_axis(*axis, *rank));
  return {};
}

Status expect_box_quantization(const OperandInfo& operand, const std::string& what) {
  if (operand.type != OperandType::kTensorQuant16Asymm) return {};
  return check_quantization(operand, 0.125F, 0, what);
}

Status expect_fixed_quantization(const OperationView& operation, float scale, int32_t unsigned_zero_point) {
  const OperandInfo& output = operation.output(kFirstOutput);
  if (!is_quant8_asymm(output.type)) return {};
  const int32_t zero_point = unsigned_zero_point - (output.type == OperandType::kTensorQuant8Asymm ? 0 : 128);
  return check_quantization(output, scale, zero_point, "output 0");
}

int rank_4_level(const OperationView& operation) {
  const auto rank = known_rank(operation, kFirstInput);
  return rank && *rank != 4 ? 3 : 1;
}

Status check_activation(std::optional<int32_t> activation) {
  if (!activation || (*activation >= 0 && *activation <= 3)) return {};
  return fail(Code::kOpFailed, "the activation must be 0..3, but is " + std::to_string(*activation));
}

}  // namespace nnvk
