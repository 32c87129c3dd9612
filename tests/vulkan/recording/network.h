// A small hand-made network and its execution, shared by the recording tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/runtime/device.h"
#include "cpu_fallback/reference_device.h"
#include "tests/support/bindings.h"
#include "tests/support/plan_fixture.h"
#include "vulkan/context/instance.h"
#include "vulkan/vulkan_devices.h"

namespace nnvk::test {

inline TensorId random_constant(PlanFixture& f, const Shape& shape, uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<float> values(shape.element_count());
  for (float& value : values) value = static_cast<float>(engine() % 2001) / 1000.0F - 1.0F;
  return f.constant(shape, OperandType::kTensorFloat32, values);
}

inline TensorId float_scalar(PlanFixture& f, float value) { return f.constant<float>({}, OperandType::kFloat32, {value}); }

// Makes the output of `code` a view of its input.
inline void add_view(PlanFixture& f, OperationCode code, std::vector<TensorId> inputs, TensorId output) {
  f.raw().tensors[output].view_of = f.raw().storage_of(inputs[0]);
  f.node(code, std::move(inputs), {output});
  f.raw().nodes.back().is_view = true;
}

// x [n, h, w, 4] -> 1x1 convolution -> LOGISTIC -> + x -> `tail` times TANH -> output, all of x's shape. Unknown dimensions are
// allowed.
inline std::shared_ptr<const Plan> residual_network(const Shape& shape, int tail = 1) {
  PlanFixture m;
  const TensorId x = m.input(shape);
  const TensorId weights = random_constant(m, {4, 1, 1, 4}, 11);
  const TensorId bias = random_constant(m, {4}, 12);
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
  return m.plan();
}

inline std::vector<float> random_floats(size_t count, uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(engine() % 4001) / 1000.0F - 2.0F;
  return values;
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
  // Submits and waits. Errors are those of submit() or of the execution.
  Status result_on(PreparedPlan& plan) {
    const auto submission = submit(plan);
    if (!submission) return fail(submission.error());
    report = submission->report;
    return submission->done.wait();
  }
  // True if it succeeded.
  bool execute(PreparedPlan& plan) {
    const Status result = result_on(plan);
    if (!result) ADD_FAILURE() << result.error().message;
    return result.has_value();
  }
  Shape shape;
  std::vector<float> in;
  std::vector<float> out;
  Request request;
  std::shared_ptr<const ExecutionReport> report;
};

// The CPU reference's result for the input of `run`.
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
inline std::unique_ptr<Device> first_device(const vulkan::PlanOverrides& overrides = {}) {
  auto devices = vulkan::discover_devices(cpu::reference_evaluator(), overrides);
  return devices.empty() ? nullptr : std::move(devices.front());
}

// A path that a device plan may choose; or the CPU device.
struct Path {
  const char* name;
  vulkan::PlanOverrides overrides{};
  bool is_cpu = false;
};
inline std::string name_of_path(const testing::TestParamInfo<Path>& info) { return info.param.name; }

// The first Vulkan device on one path. Any message of the validation layers fails the test.
class OnEveryPath : public testing::TestWithParam<Path> {
 protected:
  void SetUp() override {
    device_ = GetParam().is_cpu ? cpu::make_reference_device() : first_device(GetParam().overrides);
    if (!device_) GTEST_SKIP() << "no Vulkan device on this machine";
  }
  void TearDown() override {
    device_.reset();
    EXPECT_EQ(vulkan::validation_message_count(), messages_before_) << "the validation layers complained, see the log";
  }
  std::unique_ptr<PreparedPlan> prepare(const std::shared_ptr<const Plan>& plan) {
    auto prepared = device_->prepare(plan, {});
    if (!prepared) ADD_FAILURE() << prepared.error().message;
    return prepared ? std::move(*prepared) : nullptr;
  }
  bool stages() const { return GetParam().overrides.force_staging; }

  const uint64_t messages_before_ = vulkan::validation_message_count();
  std::unique_ptr<Device> device_;
};

}  // namespace nnvk::test
