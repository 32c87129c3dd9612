// Small questions about plans, and the limits that activations put on results.
#include "core/plan/plan.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "core/model/extension_name.h"

namespace nnvk {

OperationPlace Plan::place_of(const PlanNode& node) const {
  return {node.source_operation, static_cast<int32_t>(node.code),
          node.extension ? name_of(*node.extension) : operation_name(node.code)};
}

TensorId Plan::storage_of(TensorId tensor) const {
  const TensorId owner = tensors[tensor].view_of;
  return owner == kNoTensor ? tensor : owner;
}

NodeView declared_view(const Plan& plan, const PlanNode& node) {
  NodeView view;
  view.code = node.code;
  for (const TensorId id : node.inputs) {
    const PlanTensor& tensor = plan.tensors[id];
    view.inputs.push_back({&tensor.info, tensor.role != TensorRole::kOmitted, tensor.value});
  }
  for (const TensorId id : node.outputs) view.outputs.push_back(&plan.tensors[id].info);
  return view;
}

ActivationBounds float_activation_bounds(FusedActivation a) {
  switch (a) {
    case FusedActivation::kRelu:
      return {0.0F, FLT_MAX};
    case FusedActivation::kRelu1:
      return {-1.0F, 1.0F};
    case FusedActivation::kRelu6:
      return {0.0F, 6.0F};
    case FusedActivation::kNone:
      break;
  }
  return {-FLT_MAX, FLT_MAX};
}

QuantizedBounds quantized_activation_bounds(FusedActivation a, OperandType type, float scale, int32_t zero_point) {
  const bool is_signed = type != OperandType::kTensorQuant8Asymm;
  const int32_t least = is_signed ? -128 : 0;
  const int32_t greatest = is_signed ? 127 : 255;
  // The quotient is float32, rounded half away from zero; far results are cut before they could overflow an int.
  const auto quantize = [&](float real) {
    const float steps = std::round(real / scale);
    return zero_point + static_cast<int32_t>(std::clamp(steps, -1.0e6F, 1.0e6F));
  };
  switch (a) {
    case FusedActivation::kRelu:
      return {std::max(least, zero_point), greatest};
    case FusedActivation::kRelu1:
      return {std::max(least, quantize(-1.0F)), std::min(greatest, quantize(1.0F))};
    case FusedActivation::kRelu6:
      return {std::max(least, zero_point), std::min(greatest, quantize(6.0F))};
    case FusedActivation::kNone:
      break;
  }
  return {least, greatest};
}

}  // namespace nnvk
