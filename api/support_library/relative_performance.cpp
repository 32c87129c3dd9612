#include "api/support_library/relative_performance.h"

#include "core/model/model.h"
#include "core/operations/operation_enumerators.h"
#include "core/plan/plan_builder.h"
#include "core/runtime/placement.h"

namespace nnvk::api::support_library {
namespace {

// Builds a model of one layer; plan() returns null if one of the calls before it failed.
class Layer {
 public:
  explicit Layer(ExtensionRegistry& extensions) : model_(extensions) {}

  uint32_t tensor(OperandType type, std::initializer_list<uint32_t> dims, float scale = 0.0F) {
    const std::vector<uint32_t> sizes(dims);
    add({static_cast<int32_t>(type), sizes.data(), static_cast<uint32_t>(sizes.size()), scale, 0});
    return count_++;
  }
  uint32_t number(int32_t value) {
    add({static_cast<int32_t>(OperandType::kInt32), nullptr, 0, 0.0F, 0});
    failed_ = failed_ || !model_.set_operand_value(count_, &value, sizeof value);
    return count_++;
  }
  // Returns the plan of one operation whose tensors are all inputs of the model, or null.
  std::shared_ptr<const Plan> plan(OperationCode code, const std::vector<uint32_t>& operands, const std::vector<uint32_t>& inputs,
                                   uint32_t output) {
    const std::vector<uint32_t> outputs{output};
    failed_ = failed_ || !model_.add_operation(static_cast<int32_t>(code), operands, outputs) ||
              !model_.identify_inputs_and_outputs(inputs, outputs) || !model_.finish();
    if (failed_) return nullptr;
    auto built = build_plan(model_);
    return built ? *built : nullptr;
  }

 private:
  void add(const OperandTypeDescription& description) { failed_ = failed_ || !model_.add_operand(description); }

  Model model_;
  uint32_t count_ = 0;
  bool failed_ = false;
};

std::shared_ptr<const Plan> convolution(ExtensionRegistry& extensions, OperandType type) {
  constexpr float kScale = 0.5F;
  const bool quantized = is_quant8_asymm(type);
  const float scale = quantized ? kScale : 0.0F;
  Layer layer(extensions);
  const uint32_t x = layer.tensor(type, {1, 56, 56, 64}, scale);
  const uint32_t weights = layer.tensor(type, {64, 3, 3, 64}, scale);
  const uint32_t bias = quantized ? layer.tensor(OperandType::kTensorInt32, {64}, scale * scale) : layer.tensor(type, {64});
  const uint32_t same_padding = layer.number(1);
  const uint32_t one = layer.number(1);
  const uint32_t no_activation = layer.number(0);
  const uint32_t y = layer.tensor(type, {1, 56, 56, 64}, scale);
  return layer.plan(OperationCode::kConv2d, {x, weights, bias, same_padding, one, one, no_activation}, {x, weights, bias}, y);
}

std::shared_ptr<const Plan> pairwise(ExtensionRegistry& extensions, OperandType type) {
  Layer layer(extensions);
  const uint32_t a = layer.tensor(type, {1, 56, 56, 64});
  const uint32_t b = layer.tensor(type, {1, 56, 56, 64});
  const uint32_t y = layer.tensor(type, {1, 56, 56, 64});
  if (type == OperandType::kTensorBool8) return layer.plan(OperationCode::kLogicalAnd, {a, b}, {a, b}, y);
  return layer.plan(OperationCode::kAdd, {a, b, layer.number(0)}, {a, b}, y);
}

std::shared_ptr<const Plan> layer_of(ExtensionRegistry& extensions, OperandType type) {
  switch (type) {
    case OperandType::kTensorFloat32:
    case OperandType::kTensorFloat16:
    case OperandType::kTensorQuant8Asymm:
    case OperandType::kTensorQuant8AsymmSigned:
      return convolution(extensions, type);
    case OperandType::kTensorInt32:
    case OperandType::kTensorBool8:
      return pairwise(extensions, type);
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

std::optional<float> relative_time(Runtime& runtime, const Device& device, OperandType type) {
  const auto plan = layer_of(runtime.extensions(), type);
  if (plan == nullptr) return std::nullopt;
  const auto own = seconds_on(device, *plan);
  const auto cpu = seconds_on(runtime.fallback(), *plan);
  if (!own || !cpu) return std::nullopt;
  return static_cast<float>(*own / *cpu);
}

}  // namespace nnvk::api::support_library
