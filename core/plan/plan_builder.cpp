// Copies the structure of a model into a plan: operations in running order, constants as spans.
#include "core/plan/plan_builder.h"

#include "core/base/trace.h"
#include "core/model/model.h"
#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/window_parameters.h"
#include "core/operations/rules/imposed_quantization.h"

namespace nnvk {
namespace {

Result<PlanTensor> tensor_of(const Operand& operand, uint32_t index) {
  PlanTensor tensor;
  tensor.info = operand.info;
  tensor.role = operand.role;
  tensor.value = operand.value;
  tensor.owner = operand.owner;
  tensor.transposed = operand.transposed;
  if (operand.memory != nullptr) {
    auto constant = operand.memory->constant(operand.memory_offset, operand.memory_length);
    if (!constant) return fail(constant.error().at(OperandPlace{"constant operand", index}));
    tensor.value = constant->bytes;
    tensor.owner = std::move(constant->owner);
  }
  return tensor;
}

// If `filters_may_wait`, leaves the filters of a CONV_2D that nothing else reads. All other constants need their bytes when
// passes look at them, and control flow hands constants from plan to plan.
void put_constants_in_order(Plan& plan, bool filters_may_wait) {
  std::vector<uint32_t> readers(plan.tensors.size());
  std::vector<bool> is_filter(plan.tensors.size());
  for (const PlanNode& node : plan.nodes) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      ++readers[node.inputs[i]];
      is_filter[node.inputs[i]] = node.code == OperationCode::kConv2d && i == convolution::kFilter;
    }
  }
  const bool may_wait = filters_may_wait && plan.subgraphs.empty();
  for (size_t t = 0; t < plan.tensors.size(); ++t) {
    if (!may_wait || readers[t] != 1 || !is_filter[t]) put_in_order(plan.tensors[t]);
  }
}

// Gives intermediate results the scale and zero point that their operation imposes.
void impose_quantization(Plan& plan) {
  for (const PlanNode& node : plan.nodes) {
    std::vector<const OperandInfo*> inputs;
    for (const TensorId id : node.inputs) inputs.push_back(&plan.tensors[id].info);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      PlanTensor& output = plan.tensors[node.outputs[i]];
      if (output.role != TensorRole::kTemporary) continue;
      if (const auto imposed = imposed_quantization(node.code, i, output.info.type, inputs)) {
        output.info.scale = imposed->scale;
        output.info.zero_point = imposed->zero_point;
      }
    }
  }
}

Result<std::shared_ptr<const Plan>> build(const Model& model, bool relaxed, bool filters_may_wait) {
  auto plan = std::make_shared<Plan>();
  plan->relaxed = relaxed;
  const auto& operands = model.operands();
  for (uint32_t i = 0; i < operands.size(); ++i) {
    NNVK_ASSIGN(PlanTensor tensor, tensor_of(operands[i], i));
    if (operands[i].role == TensorRole::kSubgraph) {
      NNVK_ASSIGN(auto subgraph, build(*operands[i].model, relaxed, false));
      tensor.subgraph = static_cast<uint32_t>(plan->subgraphs.size());
      plan->subgraphs.push_back(std::move(subgraph));
    }
    plan->tensors.push_back(std::move(tensor));
  }
  plan->inputs = model.inputs();
  plan->outputs = model.outputs();
  for (uint32_t i = 0; i < plan->inputs.size(); ++i) plan->tensors[plan->inputs[i]].io_index = i;
  for (uint32_t i = 0; i < plan->outputs.size(); ++i) plan->tensors[plan->outputs[i]].io_index = i;
  for (const uint32_t index : model.run_order()) {
    const Operation& operation = model.operations()[index];
    PlanNode node;
    node.code = operation.code;
    node.extension = model.extension_of(operation);
    node.inputs = operation.inputs;
    node.outputs = operation.outputs;
    node.source_operation = index;
    plan->nodes.push_back(std::move(node));
  }
  put_constants_in_order(*plan, filters_may_wait);
  impose_quantization(*plan);
  return std::shared_ptr<const Plan>(std::move(plan));
}

}  // namespace

Result<std::shared_ptr<const Plan>> build_plan(const Model& model, bool filters_may_wait) {
  const trace::Section section("[SUB][NN_LR_PC]plan");
  NNVK_TRY(model.require_finished());
  return build(model, model.relaxed(), filters_may_wait);
}

}  // namespace nnvk
