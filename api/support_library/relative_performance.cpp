#include "api/support_library/relative_performance.h"

#include "core/operations/operation_enumerators.h"
#include "core/plan/added_tensors.h"
#include "core/runtime/placement.h"

namespace nnvk::api::support_library {
namespace {

TensorId number(Plan& plan, int32_t value) { return add_int_constant(plan, {}, std::span(&value, 1)); }

// These functions return the plan of one operation, whose tensors are all inputs.
std::shared_ptr<const Plan> convolution(OperandType type) {
  constexpr float kScale = 0.5F;
  const bool quantized = is_quant8_asymm(type);
  const float scale = quantized ? kScale : 0.0F;
  const OperandInfo image = operand_info(type, {1, 56, 56, 64}, scale);
  const OperandInfo biases = operand_info(quantized ? OperandType::kTensorInt32 : type, {64}, scale * scale);
  auto plan = std::make_shared<Plan>();
  const TensorId x = add_tensor(*plan, image, TensorRole::kInput);
  const TensorId weights = add_tensor(*plan, operand_info(type, {64, 3, 3, 64}, scale), TensorRole::kInput);
  const TensorId bias = add_tensor(*plan, biases, TensorRole::kInput);
  const TensorId same_padding = number(*plan, 1);
  const TensorId one = number(*plan, 1);
  const TensorId no_activation = number(*plan, 0);
  const TensorId y = add_tensor(*plan, image, TensorRole::kOutput);
  add_node(*plan, OperationCode::kConv2d, {x, weights, bias, same_padding, one, one, no_activation}, {y});
  return plan;
}

std::shared_ptr<const Plan> pairwise(OperandType type) {
  const bool is_logical = type == OperandType::kTensorBool8;
  const OperandInfo tensor = operand_info(type, {1, 56, 56, 64});
  auto plan = std::make_shared<Plan>();
  std::vector<TensorId> inputs{add_tensor(*plan, tensor, TensorRole::kInput), add_tensor(*plan, tensor, TensorRole::kInput)};
  if (!is_logical) inputs.push_back(number(*plan, 0));  // no activation
  const TensorId y = add_tensor(*plan, tensor, TensorRole::kOutput);
  add_node(*plan, is_logical ? OperationCode::kLogicalAnd : OperationCode::kAdd, std::move(inputs), {y});
  return plan;
}

std::shared_ptr<const Plan> layer_of(OperandType type) {
  switch (type) {
    case OperandType::kTensorFloat32:
    case OperandType::kTensorFloat16:
    case OperandType::kTensorQuant8Asymm:
    case OperandType::kTensorQuant8AsymmSigned:
      return convolution(type);
    case OperandType::kTensorInt32:
    case OperandType::kTensorBool8:
      return pairwise(type);
    default:
      return nullptr;
  }
}

std::optional<double> seconds_on(const Device& device, const Plan& plan) {
  double seconds = 0.0;
  for (const Placement& placement : place_on(device, plan)) {
    if (!placement.supported) return std::nullopt;
    seconds += placement.predicted_seconds;
  }
  return seconds > 0.0 ? std::optional(seconds) : std::nullopt;
}

}  // namespace

std::optional<float> relative_time(const Runtime& runtime, const Device& device, OperandType type) {
  const auto plan = layer_of(type);
  if (plan == nullptr) return std::nullopt;
  const auto own = seconds_on(device, *plan);
  const auto cpu = seconds_on(runtime.fallback(), *plan);
  if (!own || !cpu) return std::nullopt;
  return static_cast<float>(*own / *cpu);
}

}  // namespace nnvk::api::support_library
