// Runs hand-made plans on the CPU device, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

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
  // Blocks; the report of an execution on the calling thread.
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

// What an operation gave: its shape and elements, or the error.
template <class T>
struct Computed {
  Status status;
  Shape shape;
  std::vector<T> values;
};

// Runs one operation through shape inference and its kernel, the way the device does. `output`: type and quantization.
template <class T>
Computed<T> run_operation(OperationCode code, const std::vector<Operand>& inputs, OperandType output_type, float scale = 0,
                          int32_t zero_point = 0) {
  Computed<T> computed;
  OperandInfo output;
  output.type = output_type;
  output.shape = Shape::unknown_rank();
  output.scale = scale;
  output.zero_point = zero_point;
  std::vector<OperandView> views;
  for (const Operand& input : inputs) views.push_back({&input.info, input.present, input.bytes});
  const OperandInfo* outputs[] = {&output};
  auto shapes = infer_output_shapes(OperationView{code, views, outputs});
  if (!shapes) {
    computed.status = fail(shapes.error());
    return computed;
  }
  output.shape = computed.shape = shapes->front();
  computed.values.resize(output.shape.element_count());
  const std::span<std::byte> bytes[] = {std::as_writable_bytes(std::span(computed.values))};
  PlanNode node;
  node.code = code;
  computed.status = cpu::reference_evaluator()(Plan{}, node, views, std::span(&output, 1), bytes);
  return computed;
}

}  // namespace nnvk::test
