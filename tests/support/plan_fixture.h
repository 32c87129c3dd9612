// Builds small plans by hand, for tests of passes and devices.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/operations/operation_enumerators.h"
#include "core/plan/plan.h"

namespace nnvk::test {

class PlanFixture {
 public:
  TensorId input(Shape shape, OperandType type = OperandType::kTensorFloat32, float scale = 0, int32_t zero_point = 0) {
    const TensorId id = add(std::move(shape), type, scale, zero_point, TensorRole::kInput);
    plan_.tensors[id].io_index = static_cast<uint32_t>(plan_.inputs.size());
    plan_.inputs.push_back(id);
    return id;
  }
  TensorId output(Shape shape, OperandType type = OperandType::kTensorFloat32, float scale = 0, int32_t zero_point = 0) {
    const TensorId id = add(std::move(shape), type, scale, zero_point, TensorRole::kOutput);
    plan_.tensors[id].io_index = static_cast<uint32_t>(plan_.outputs.size());
    plan_.outputs.push_back(id);
    return id;
  }
  TensorId temporary(Shape shape, OperandType type = OperandType::kTensorFloat32, float scale = 0, int32_t zero_point = 0) {
    return add(std::move(shape), type, scale, zero_point, TensorRole::kTemporary);
  }
  template <class T>
  TensorId constant(Shape shape, OperandType type, const std::vector<T>& values, float scale = 0, int32_t zero_point = 0) {
    const TensorId id = add(std::move(shape), type, scale, zero_point, TensorRole::kConstant);
    auto block = std::make_shared<std::vector<std::byte>>(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(block->data(), values.data(), block->size());
    plan_.tensors[id].value = *block;
    plan_.tensors[id].owner = block;
    return id;
  }
  TensorId scalar(int32_t value) { return constant<int32_t>({}, OperandType::kInt32, {value}); }
  TensorId flag(bool value) { return constant<uint8_t>({}, OperandType::kBool, {static_cast<uint8_t>(value)}); }
  TensorId omitted(OperandType type) { return add({}, type, 0, 0, TensorRole::kOmitted); }
  // A reference to another model, for IF and WHILE.
  TensorId model(std::shared_ptr<const Plan> referenced) {
    const TensorId id = add({}, OperandType::kModel, 0, 0, TensorRole::kSubgraph);
    plan_.tensors[id].subgraph = static_cast<uint32_t>(plan_.subgraphs.size());
    plan_.subgraphs.push_back(std::move(referenced));
    return id;
  }

  void node(OperationCode code, std::vector<TensorId> inputs, std::vector<TensorId> outputs) {
    PlanNode n;
    n.code = code;
    n.inputs = std::move(inputs);
    n.outputs = std::move(outputs);
    n.source_operation = static_cast<uint32_t>(plan_.nodes.size());
    plan_.nodes.push_back(std::move(n));
  }

  Plan& raw() { return plan_; }
  std::shared_ptr<const Plan> plan() const { return std::make_shared<const Plan>(plan_); }

 private:
  TensorId add(Shape shape, OperandType type, float scale, int32_t zero_point, TensorRole role) {
    PlanTensor tensor;
    tensor.info.type = type;
    tensor.info.shape = std::move(shape);
    tensor.info.scale = scale;
    tensor.info.zero_point = zero_point;
    tensor.role = role;
    plan_.tensors.push_back(std::move(tensor));
    return static_cast<TensorId>(plan_.tensors.size() - 1);
  }
  Plan plan_;
};

}  // namespace nnvk::test
