#include "accelerators/plan_description.h"

#include <algorithm>
#include <limits>

#include "core/plan/segments.h"

namespace nnvk::accelerators {
namespace {

constexpr uint32_t kNoOperand = std::numeric_limits<uint32_t>::max();

OperandLife life_of(TensorRole role) {
  switch (role) {
    case TensorRole::kInput:
      return OperandLife::kInput;
    case TensorRole::kOutput:
      return OperandLife::kOutput;
    case TensorRole::kConstant:
      return OperandLife::kConstant;
    case TensorRole::kOmitted:
      return OperandLife::kOmitted;
    default:
      return OperandLife::kTemporary;
  }
}

class PlanDescriber {
 public:
  PlanDescriber(const Plan& plan, const ConstantPlace& constant_place)
      : plan_(plan), constant_place_(constant_place), operand_of_(plan.tensors.size(), kNoOperand) {}

  Result<ModelDescription> describe() {
    model_.relaxed = plan_.relaxed;
    NNVK_ASSIGN(model_.inputs, take_all(plan_.inputs));
    if (plan_.inputs.empty()) {
      model_.inputs.push_back(static_cast<uint32_t>(model_.operands.size()));
      model_.operands.push_back({.type = static_cast<int32_t>(OperandType::kInt32), .life = OperandLife::kInput});
    }
    for (const PlanNode& node : plan_.nodes) {
      if (std::string reason = reason_not_describable(plan_, node); !reason.empty()) {
        return fail(Error(Code::kOpFailed, std::move(reason)).at(plan_.place_of(node)));
      }
      ModelOperation operation;
      operation.code = static_cast<int32_t>(node.code);
      operation.extension = node.extension;
      NNVK_ASSIGN(operation.inputs, take_all(node.inputs));
      NNVK_ASSIGN(operation.outputs, take_all(node.outputs));
      model_.operations.push_back(std::move(operation));
    }
    NNVK_ASSIGN(model_.outputs, take_all(plan_.outputs));
    return std::move(model_);
  }

 private:
  Result<std::vector<uint32_t>> take_all(const std::vector<TensorId>& tensors) {
    std::vector<uint32_t> operands;
    for (const TensorId id : tensors) {
      if (operand_of_[id] == kNoOperand) {
        NNVK_ASSIGN(ModelOperand operand, operand_for(plan_.tensors[id]));
        operand_of_[id] = static_cast<uint32_t>(model_.operands.size());
        model_.operands.push_back(std::move(operand));
      }
      operands.push_back(operand_of_[id]);
    }
    return operands;
  }

  Result<ModelOperand> operand_for(const PlanTensor& tensor) const {
    ModelOperand operand;
    operand.type = static_cast<int32_t>(tensor.info.type);
    operand.dimensions = tensor.info.shape.dims;
    std::ranges::replace(operand.dimensions, kUnknownDimension, 0U);
    operand.scale = tensor.info.scale;
    operand.zero_point = tensor.info.zero_point;
    operand.life = life_of(tensor.role);
    if (tensor.info.channel_quant != nullptr) operand.channel_quant = *tensor.info.channel_quant;
    if (tensor.info.extension != nullptr) operand.extension = *tensor.info.extension;
    if (operand.life != OperandLife::kConstant) return operand;
    if (tensor.value.size() <= kLongestInlineConstant) {
      operand.bytes.assign(tensor.value.begin(), tensor.value.end());
    } else {
      NNVK_ASSIGN(operand.range, constant_place_(tensor));
    }
    return operand;
  }

  const Plan& plan_;
  const ConstantPlace& constant_place_;
  std::vector<uint32_t> operand_of_;
  ModelDescription model_;
};

}  // namespace

std::string reason_not_describable(const Plan& plan, const PlanNode& node) {
  if (is_control_flow(node.code)) return "control flow is run by the runtime, not by a plugin";
  if (node.fused_activation != FusedActivation::kNone || node.residual != kNoTensor) {
    return "something was fused into the operation that no model of NNAPI can say";
  }
  for (const TensorId id : node.inputs) {
    const PlanTensor& tensor = plan.tensors[id];
    if (tensor.role != TensorRole::kConstant) continue;
    // In NNAPI a dimension of 0 is unknown, and a tensor without dimensions has an unknown rank.
    const bool is_empty = std::ranges::find(tensor.info.shape.dims, 0U) != tensor.info.shape.dims.end() || tensor.value.empty();
    const bool has_no_dimensions = tensor.info.is_tensor() && tensor.info.shape.dims.empty();
    if (is_empty || has_no_dimensions) return "NNAPI cannot express a constant of shape " + tensor.info.shape.to_string();
  }
  return {};
}

Result<ModelDescription> describe_plan(const Plan& plan, const ConstantPlace& constant_place) {
  return PlanDescriber(plan, constant_place).describe();
}

}  // namespace nnvk::accelerators
