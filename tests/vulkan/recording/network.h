// A small network made by hand, and how to run it: what the recording tests share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/runtime/device.h"
#include "cpu_fallback/reference_device.h"
#include "vulkan/vulkan_devices.h"

namespace nnvk::test {

// Adds tensors and nodes to a plan.
class PlanMaker {
 public:
  TensorId add(OperandInfo info, TensorRole role) {
    PlanTensor tensor;
    tensor.info = std::move(info);
    tensor.role = role;
    tensor.source_operand = static_cast<uint32_t>(plan_.tensors.size());
    const auto id = static_cast<TensorId>(plan_.tensors.size());
    if (role == TensorRole::kInput) {
      tensor.io_index = static_cast<uint32_t>(plan_.inputs.size());
      plan_.inputs.push_back(id);
    }
    if (role == TensorRole::kOutput) {
      tensor.io_index = static_cast<uint32_t>(plan_.outputs.size());
      plan_.outputs.push_back(id);
    }
    plan_.tensors.push_back(std::move(tensor));
    return id;
  }
  static OperandInfo floats(Shape shape) {
    OperandInfo info;
    info.type = OperandType::kTensorFloat32;
    info.shape = std::move(shape);
    return info;
  }
  TensorId input(Shape shape) { return add(floats(std::move(shape)), TensorRole::kInput); }
  TensorId output(Shape shape) { return add(floats(std::move(shape)), TensorRole::kOutput); }
  TensorId temporary(Shape shape) { return add(floats(std::move(shape)), TensorRole::kTemporary); }
  template <class T>
  TensorId constant(OperandType type, Shape shape, const std::vector<T>& values) {
    OperandInfo info;
    info.type = type;
    info.shape = std::move(shape);
    const TensorId id = add(std::move(info), TensorRole::kConstant);
    auto bytes = std::make_shared<std::vector<std::byte>>(values.size() * sizeof(T));
    std::memcpy(bytes->data(), values.data(), bytes->size());
    plan_.tensors[id].value = *bytes;
    plan_.tensors[id].owner = bytes;
    return id;
  }
  TensorId scalar(int32_t value) { return constant<int32_t>(OperandType::kInt32, Shape{}, {value}); }
  TensorId scalar(float value) { return constant<float>(OperandType::kFloat32, Shape{}, {value}); }
  TensorId random(Shape shape, uint32_t seed) {
    std::mt19937 engine(seed);
    std::vector<float> values(shape.element_count());
    for (float& value : values) value = static_cast<float>(engine() % 2001) / 1000.0F - 1.0F;
    return constant(OperandType::kTensorFloat32, std::move(shape), values);
  }
  void node(OperationCode code, std::vector<TensorId> inputs, std::vector<TensorId> outputs) {
    PlanNode node;
    node.code = code;
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    node.source_operation = static_cast<uint32_t>(plan_.nodes.size());
    plan_.nodes.push_back(std::move(node));
  }
  // The output of `code` becomes a view of its input.
  void view(OperationCode code, std::vector<TensorId> inputs, TensorId output) {
    plan_.tensors[output].view_of = plan_.storage_of(inputs[0]);
    node(code, std::move(inputs), {output});
    plan_.nodes.back().is_view = true;
  }
  Plan& plan() { return plan_; }
  std::shared_ptr<const Plan> finish() const { return std::make_shared<const Plan>(plan_); }

 private:
  Plan plan_;
};

// x [n, h, w, 4] -> 1x1 convolution -> LOGISTIC -> + x -> `tail` times TANH -> output, all of x's shape. Unknown dimensions are
// allowed.
inline std::shared_ptr<const Plan> residual_network(const Shape& shape, int tail = 1) {
  PlanMaker m;
  const TensorId x = m.input(shape);
  const TensorId weights = m.random({4, 1, 1, 4}, 11);
  const TensorId bias = m.random({4}, 12);
  const TensorId zero = m.scalar(0);
  const TensorId one = m.scalar(1);
  const TensorId convolved = m.temporary(shape);
  m.node(OperationCode::kConv2d, {x, weights, bias, zero, zero, zero, zero, one, one, zero}, {convolved});
  const TensorId squashed = m.temporary(shape);
  m.node(OperationCode::kLogistic, {convolved}, {squashed});
  TensorId last = m.temporary(shape);
  m.node(OperationCode::kAdd, {squashed, x, zero}, {last});
  for (int i = 0; i < tail; ++i) {
    const TensorId next = i + 1 == tail ? m.output(shape) : m.temporary(shape);
    m.node(OperationCode::kTanh, {last}, {next});
    last = next;
  }
  return m.finish();
}

inline std::vector<float> random_floats(size_t count, uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(engine() % 4001) / 1000.0F - 2.0F;
  return values;
}

inline Binding bind(std::vector<float>& values, Shape shape) {
  Binding binding;
  binding.data = reinterpret_cast<std::byte*>(values.data());
  binding.size = values.size() * sizeof(float);
  binding.shape = std::move(shape);
  return binding;
}

// One execution with one input and one output of the same shape; buffers live as long as this.
struct Inference {
  Inference(const Shape& s, uint32_t seed) : shape(s), in(random_floats(s.element_count(), seed)), out(in.size(), -99.0F) {}
  Result<Submission> submit(PreparedPlan& plan) {
    const Binding inputs[] = {bind(in, shape)};
    const Binding outputs[] = {bind(out, shape)};
    request.inputs = inputs;
    request.outputs = outputs;
    return plan.submit(request);
  }
  // Submits and waits; true when it succeeded.
  bool execute(PreparedPlan& plan) {
    auto submission = submit(plan);
    if (!submission) {
      ADD_FAILURE() << submission.error().message;
      return false;
    }
    const Status result = submission->done.wait();
    if (!result) ADD_FAILURE() << result.error().message;
    report = submission->report;
    return result.has_value();
  }
  Shape shape;
  std::vector<float> in;
  std::vector<float> out;
  Request request;
  std::shared_ptr<const ExecutionReport> report;
};

// What the CPU reference computes for the input of `run`.
inline std::vector<float> expected(const std::shared_ptr<const Plan>& plan, const Inference& run) {
  const auto device = cpu::make_reference_device();
  auto prepared = device->prepare(plan, {});
  if (!prepared) {
    ADD_FAILURE() << prepared.error().message;
    return {};
  }
  Inference reference = run;
  reference.request = {};
  reference.execute(**prepared);
  return reference.out;
}

inline void expect_close(const std::vector<float>& actual, const std::vector<float>& wanted) {
  ASSERT_EQ(actual.size(), wanted.size());
  for (size_t i = 0; i < actual.size(); ++i) ASSERT_NEAR(actual[i], wanted[i], 1e-4) << "element " << i;
}

// The first Vulkan device, or null.
inline std::unique_ptr<Device> first_device(vulkan::DiscoveryOptions options = {}) {
  options.host_evaluator = cpu::reference_evaluator();
  auto devices = vulkan::discover_devices(options);
  return devices.empty() ? nullptr : std::move(devices.front());
}

}  // namespace nnvk::test
