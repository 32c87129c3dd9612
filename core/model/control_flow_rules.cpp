// Compatibility of IF and WHILE with the models they reference.
#include "core/model/control_flow_rules.h"

#include <string>

#include "core/operations/control_flow_operands.h"

namespace nnvk {
namespace {

std::vector<const OperandInfo*> infos_of(std::span<const Operand> operands, std::span<const uint32_t> indexes) {
  std::vector<const OperandInfo*> infos;
  for (const uint32_t i : indexes) infos.push_back(&operands[i].info);
  return infos;
}

using Infos = std::vector<const OperandInfo*>;
Infos inputs_of(const Model& model) { return infos_of(model.operands(), model.inputs()); }
Infos outputs_of(const Model& model) { return infos_of(model.operands(), model.outputs()); }

Result<const Model*> referenced_model(std::span<const Operand> operands, uint32_t index, const char* what) {
  const Operand& operand = operands[index];
  if (operand.role != TensorRole::kSubgraph || operand.model == nullptr) {
    return fail(Code::kBadData,
                std::string("the ") + what + " (operand " + std::to_string(index) +
                    ") has no value; call ANeuralNetworksModel_setOperandValueFromModel before adding the operation");
  }
  return operand.model;
}

// Checks that the first `count` operands of both lists are compatible. `what` completes "<what> 3 does not fit: ...".
Status check_pairs(const Infos& a, const Infos& b, size_t count, const std::string& what) {
  for (size_t i = 0; i < count; ++i) {
    if (are_compatible(*a[i], *b[i])) continue;
    return fail(Code::kBadData, what + " " + std::to_string(i) + " does not fit: " + operand_type_name(a[i]->type) + " " +
                                    a[i]->shape.to_string() + " and " + operand_type_name(b[i]->type) + " " +
                                    b[i]->shape.to_string() + " (type, shape, scale, zero point or channel scales differ)");
  }
  return {};
}

Status check_count(size_t is, size_t should_be, const std::string& what) {
  if (is == should_be) return {};
  return fail(Code::kBadData, what + " has " + std::to_string(is) + ", but needs " + std::to_string(should_be));
}

bool is_condition(const OperandInfo& info) { return info.type == OperandType::kTensorBool8 && info.shape == Shape{1}; }

Status check_branch(const Model& branch, const Infos& inputs, const Infos& outputs, const std::string& name) {
  NNVK_TRY(check_count(branch.inputs().size(), inputs.size(), "number of inputs: the " + name));
  NNVK_TRY(check_count(branch.outputs().size(), outputs.size(), "number of outputs: the " + name));
  NNVK_TRY(check_pairs(inputs_of(branch), inputs, inputs.size(), "input of the " + name));
  return check_pairs(outputs_of(branch), outputs, outputs.size(), "output of the " + name);
}

}  // namespace

bool are_compatible(const OperandInfo& a, const OperandInfo& b) {
  if (a.type != b.type || a.scale != b.scale || a.zero_point != b.zero_point) return false;
  if ((a.channel_quant == nullptr) != (b.channel_quant == nullptr)) return false;
  if (a.channel_quant != nullptr && !(*a.channel_quant == *b.channel_quant)) return false;
  if (a.extension != nullptr && b.extension != nullptr && !(*a.extension == *b.extension)) return false;
  return merge_shapes(a.shape, b.shape).has_value();
}

Status check_if(std::span<const Operand> operands, const Operation& operation) {
  using namespace if_operation;
  NNVK_ASSIGN(const Model* then_model, referenced_model(operands, operation.inputs[kThenModel], "then-model"));
  NNVK_ASSIGN(const Model* else_model, referenced_model(operands, operation.inputs[kElseModel], "else-model"));
  const Infos inputs = infos_of(operands, std::span(operation.inputs).subspan(kFirstValue));
  const Infos outputs = infos_of(operands, operation.outputs);
  NNVK_TRY(check_branch(*then_model, inputs, outputs, "then-model"));
  return check_branch(*else_model, inputs, outputs, "else-model");
}

Status check_while(std::span<const Operand> operands, const Operation& operation) {
  using namespace while_operation;
  NNVK_ASSIGN(const Model* condition, referenced_model(operands, operation.inputs[kConditionModel], "condition model"));
  NNVK_ASSIGN(const Model* body, referenced_model(operands, operation.inputs[kBodyModel], "body model"));
  const Infos inputs = infos_of(operands, std::span(operation.inputs).subspan(kFirstValue));
  const Infos outputs = infos_of(operands, operation.outputs);
  const Infos body_inputs = inputs_of(*body);
  const Infos body_outputs = outputs_of(*body);

  NNVK_TRY(check_count(condition->inputs().size(), inputs.size(), "number of inputs: the condition model"));
  NNVK_TRY(check_count(condition->outputs().size(), 1, "number of outputs: the condition model"));
  if (!is_condition(*outputs_of(*condition)[0])) {
    return fail(Code::kBadData, "the output of the condition model must be TENSOR_BOOL8 of shape [1]");
  }
  NNVK_TRY(check_count(body_inputs.size(), inputs.size(), "number of inputs: the body model"));
  if (body_outputs.size() > body_inputs.size() || body_outputs.size() < outputs.size()) {
    return fail(Code::kBadData, "the body model has " + std::to_string(body_outputs.size()) + " outputs; it needs at least " +
                                    std::to_string(outputs.size()) + " and at most " + std::to_string(body_inputs.size()));
  }
  NNVK_TRY(check_pairs(inputs_of(*condition), inputs, inputs.size(), "input of the condition model"));
  NNVK_TRY(check_pairs(body_inputs, inputs, inputs.size(), "input of the body model"));
  NNVK_TRY(check_pairs(body_outputs, outputs, outputs.size(), "output of the body model"));
  return check_pairs(body_outputs, body_inputs, body_outputs.size(), "loop value of the body model");
}

}  // namespace nnvk
