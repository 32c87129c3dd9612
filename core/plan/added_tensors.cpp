#include "core/plan/added_tensors.h"

#include <utility>

namespace nnvk {

OperandInfo operand_info(OperandType type, Shape shape, float scale, int32_t zero_point) {
  OperandInfo info;
  info.type = type;
  info.shape = std::move(shape);
  info.scale = scale;
  info.zero_point = zero_point;
  return info;
}

TensorId add_tensor(Plan& plan, OperandInfo info, TensorRole role) {
  const auto id = static_cast<TensorId>(plan.tensors.size());
  PlanTensor& tensor = plan.tensors.emplace_back();
  tensor.info = std::move(info);
  tensor.role = role;
  if (role != TensorRole::kInput && role != TensorRole::kOutput) return id;
  std::vector<TensorId>& list = role == TensorRole::kInput ? plan.inputs : plan.outputs;
  tensor.io_index = static_cast<uint32_t>(list.size());
  list.push_back(id);
  return id;
}

TensorId add_constant(Plan& plan, OperandInfo info, std::vector<std::byte> bytes) {
  auto block = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  const TensorId id = add_tensor(plan, std::move(info), TensorRole::kConstant);
  plan.tensors[id].value = *block;
  plan.tensors[id].owner = std::move(block);
  return id;
}

TensorId add_int_constant(Plan& plan, Shape shape, std::span<const int32_t> values) {
  const auto bytes = std::as_bytes(values);
  const OperandType type = shape.rank() == 0 ? OperandType::kInt32 : OperandType::kTensorInt32;
  return add_constant(plan, operand_info(type, std::move(shape)), {bytes.begin(), bytes.end()});
}

void add_node(Plan& plan, OperationCode code, std::vector<TensorId> inputs, std::vector<TensorId> outputs,
              uint32_t source_operation) {
  PlanNode& node = plan.nodes.emplace_back();
  node.code = code;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  node.source_operation = source_operation;
}

std::shared_ptr<const Plan> conversion_plan(OperationCode code, const OperandInfo& from, const ConversionInputs& inputs,
                                            const OperandInfo& to) {
  auto plan = std::make_shared<Plan>();
  std::vector<TensorId> ids = {add_tensor(*plan, from, TensorRole::kInput)};
  ids.push_back(add_int_constant(*plan, {static_cast<uint32_t>(inputs.integers.size())}, inputs.integers));
  const auto bytes = std::as_bytes(inputs.reals);
  const OperandInfo info = operand_info(OperandType::kTensorFloat32, {static_cast<uint32_t>(inputs.reals.size())});
  ids.push_back(add_constant(*plan, info, {bytes.begin(), bytes.end()}));
  if (inputs.table.rank() > 0) {
    ids.push_back(add_tensor(*plan, operand_info(OperandType::kTensorInt32, inputs.table), TensorRole::kInput));
  }
  add_node(*plan, code, std::move(ids), {add_tensor(*plan, to, TensorRole::kOutput)});
  return plan;
}

void set_explicit_padding(Plan& plan, PlanNode& node, const WindowOperands& at, const Padding& padding) {
  std::vector<TensorId> inputs = {node.inputs[convolution::kImage], node.inputs[convolution::kFilter],
                                  node.inputs[convolution::kBias]};
  for (const int32_t& amount : padding) inputs.push_back(add_int_constant(plan, {}, {&amount, 1}));
  inputs.insert(inputs.end(), node.inputs.begin() + static_cast<std::ptrdiff_t>(at.strides), node.inputs.end());
  node.inputs = std::move(inputs);
}

}  // namespace nnvk
