// Runs hand-made plans on the CPU device, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "cpu_fallback/node_runner.h"
#include "cpu_fallback/reference_device.h"
#include "tests/support/bindings.h"
#include "tests/support/plan_fixture.h"

namespace nnvk::test {

struct Prepared {
  explicit Prepared(const PlanFixture& fixture) : device(cpu::make_reference_device()) {
    auto result = device->prepare(fixture.plan(), {});
    EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message);
    if (result) plan = std::move(*result);
  }
  // Blocks until done; returns the report of an execution on the calling thread.
  std::shared_ptr<const ExecutionReport> run(std::vector<Binding> inputs, std::vector<Binding> outputs, Request request = {}) {
    request.inputs = inputs;
    request.outputs = outputs;
    request.may_run_inline = true;
    auto submission = plan->submit(request);
    EXPECT_TRUE(submission.has_value());
    EXPECT_NE(submission->done.state(), Fence::State::kPending);
    return submission->report;
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<PreparedPlan> plan;
};

// One operand of run_operation.
struct Operand {
  OperandInfo info;
  std::vector<std::byte> bytes;
  bool present = true;
};

template <class T>
Operand tensor(OperandType type, Shape shape, const std::vector<T>& values, float scale = 0, int32_t zero_point = 0) {
  Operand operand;
  operand.info.type = type;
  operand.info.shape = std::move(shape);
  operand.info.scale = scale;
  operand.info.zero_point = zero_point;
  operand.bytes.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(operand.bytes.data(), values.data(), operand.bytes.size());
  return operand;
}
inline Operand floats(Shape shape, const std::vector<float>& values) {
  return tensor(OperandType::kTensorFloat32, std::move(shape), values);
}
inline Operand ints(Shape shape, const std::vector<int32_t>& values) {
  return tensor(OperandType::kTensorInt32, std::move(shape), values);
}
inline Operand quant8(Shape shape, const std::vector<uint8_t>& values, float scale, int32_t zero_point) {
  return tensor(OperandType::kTensorQuant8Asymm, std::move(shape), values, scale, zero_point);
}
inline Operand signed8(Shape shape, const std::vector<int8_t>& values, float scale, int32_t zero_point) {
  return tensor(OperandType::kTensorQuant8AsymmSigned, std::move(shape), values, scale, zero_point);
}
inline Operand int_scalar(int32_t value) { return tensor<int32_t>(OperandType::kInt32, {}, {value}); }
inline Operand float_scalar(float value) { return tensor<float>(OperandType::kFloat32, {}, {value}); }
inline Operand bool_scalar(bool value) { return tensor<uint8_t>(OperandType::kBool, {}, {static_cast<uint8_t>(value)}); }

inline OperandInfo output_of(OperandType type, float scale = 0, int32_t zero_point = 0) {
  OperandInfo info;
  info.type = type;
  info.shape = Shape::unknown_rank();
  info.scale = scale;
  info.zero_point = zero_point;
  return info;
}

// The result of an operation: all outputs with their final shapes, or the error.
struct Outputs {
  Status status;
  std::vector<OperandInfo> infos;
  std::vector<std::vector<std::byte>> bytes;

  Code code() const { return code_of(status); }
  template <class T>
  std::vector<T> values(size_t i) const {
    std::vector<T> result(infos[i].shape.element_count());
    if (!result.empty()) std::memcpy(result.data(), bytes[i].data(), result.size() * sizeof(T));
    return result;
  }
};

// Runs one operation through shape inference and its kernel as the device does, including sizes that depend on data. `outputs`
// are as declared. Refuses outputs of more than 4 MiB.
inline Outputs run_outputs(OperationCode code, const std::vector<Operand>& inputs, std::vector<OperandInfo> outputs) {
  constexpr uint64_t kMostBytes = 4 << 20;
  Outputs result;
  std::vector<OperandView> views;
  for (const Operand& input : inputs) views.push_back({&input.info, input.present, input.bytes});
  std::vector<OperandInfo*> infos;
  for (OperandInfo& output : outputs) infos.push_back(&output);
  const std::vector<const OperandInfo*> declared(infos.begin(), infos.end());
  std::vector<Shape> agreed;
  const auto operation = CheckedOperation::settle(OperationView{code, views, declared}, infos, agreed);
  if (!operation) {
    result.status = fail(operation.error());
    return result;
  }
  std::vector<cpu::OutputTensor> tensors;
  result.bytes.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const uint64_t size = outputs[i].byte_size().value_or(UINT64_MAX);
    if (size > kMostBytes) {
      result.status = fail(Code::kOutOfMemory, "an output is larger than any test needs");
      return result;
    }
    result.bytes[i].resize(size);
    tensors.push_back({outputs[i], result.bytes[i], true});
  }
  PlanNode node;
  node.code = code;
  result.status = cpu::run_node(node, *operation, tensors, {});
  for (const cpu::OutputTensor& tensor : tensors) result.infos.push_back(tensor.info);
  return result;
}

// The result of an operation with one output: its shape and elements, or the error.
template <class T>
struct Computed {
  Status status;
  Shape shape;
  std::vector<T> values;

  Computed(const Outputs& outputs) : status(outputs.status) {
    if (outputs.infos.empty()) return;
    shape = outputs.infos.front().shape;
    values = outputs.values<T>(0);
  }
};

// Runs an operation with one output of elements T.
template <class T>
Computed<T> run_operation(OperationCode code, const std::vector<Operand>& inputs, OperandType output_type, float scale = 0,
                          int32_t zero_point = 0) {
  return run_outputs(code, inputs, {output_of(output_type, scale, zero_point)});
}

}  // namespace nnvk::test
