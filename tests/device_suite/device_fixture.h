// The device of a row, plans for it, and executions over buffers of their own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpu_fallback/reference_device.h"
#include "tests/device_suite/device_rows.h"
#include "tests/support/bindings.h"
#include "tests/support/plan_fixture.h"

namespace nnvk::test {

inline constexpr float kUntouched = -99.0F;

inline Binding bind(DeviceMemory& memory, Shape shape, size_t offset = 0) {
  Binding binding;
  binding.device_memory = &memory;
  binding.device_offset = offset;
  binding.shape = std::move(shape);
  return binding;
}

inline Binding omitted() {
  Binding binding;
  binding.omitted = true;
  return binding;
}

// The default request with one field changed: with(&Request::profile, true).
template <class T>
Request with(T Request::*field, std::type_identity_t<T> value) {
  Request request;
  request.*field = std::move(value);
  return request;
}

// The result of one execution, whichever step failed.
struct Outcome {
  Status status;
  std::shared_ptr<const ExecutionReport> report;  // null when submit() returned the error
  Code code() const { return code_of(status); }
};

// Submits, then overwrites the lists of bindings: a device that needs them after submit() must have copied them.
inline Result<Submission> submit(PreparedPlan& plan, std::vector<Binding> inputs, std::vector<Binding> outputs,
                                 Request request = {}) {
  request.inputs = inputs;
  request.outputs = outputs;
  auto submission = plan.submit(request);
  for (std::vector<Binding>* bindings : {&inputs, &outputs}) {
    for (Binding& binding : *bindings) {
      binding = {};
      binding.data = reinterpret_cast<std::byte*>(8);
      binding.size = SIZE_MAX;
    }
  }
  return submission;
}

// Submits and waits. Fence and report must agree.
inline Outcome execute(PreparedPlan& plan, const std::vector<Binding>& inputs, const std::vector<Binding>& outputs,
                       const Request& request = {}) {
  const auto submission = submit(plan, inputs, outputs, request);
  if (!submission) return {fail(submission.error()), nullptr};
  const Status settled = submission->done.wait();
  EXPECT_EQ(code_of(settled), code_of(submission->report->result));
  if (code_of(settled) != Code::kNoError && code_of(settled) != Code::kOutputInsufficientSize) {
    EXPECT_TRUE(submission->report->outputs.empty()) << "shapes of an execution that failed";
  }
  return {settled, submission->report};
}

// y = `count` times TANH of x.
inline std::shared_ptr<const Plan> tanh_chain(const Shape& shape, int count) {
  PlanFixture f;
  TensorId last = f.input(shape);
  for (int i = 0; i < count; ++i) {
    const TensorId next = i + 1 == count ? f.output(shape) : f.temporary(shape);
    f.node(OperationCode::kTanh, {last}, {next});
    last = next;
  }
  return f.plan();
}

// y = LOGISTIC(a * b) + a of four floats: three nodes that no rewrite merges.
inline std::shared_ptr<const Plan> small_network(const Shape& shape = {4}) {
  PlanFixture f;
  const TensorId a = f.input(shape);
  const TensorId b = f.input(shape);
  const TensorId product = f.temporary(shape);
  const TensorId squashed = f.temporary(shape);
  const TensorId y = f.output(shape);
  f.node(OperationCode::kMul, {a, b, f.scalar(0)}, {product});
  f.node(OperationCode::kLogistic, {product}, {squashed});
  f.node(OperationCode::kAdd, {squashed, a, f.scalar(0)}, {y});
  return f.plan();
}

// Buffers for small_network().
struct SmallRun {
  explicit SmallRun(float seed = 0, uint32_t count = 4) : shape{count}, a(count), b(count, 0.5F), y(count, kUntouched) {
    for (uint32_t i = 0; i < count; ++i) a[i] = seed + 0.25F * static_cast<float>(i);
  }
  std::vector<Binding> inputs() { return {bind(a, shape), bind(b, shape)}; }
  std::vector<Binding> outputs() { return {bind(y, shape)}; }
  Result<Submission> submit(PreparedPlan& plan, const Request& request = {}) {
    return test::submit(plan, inputs(), outputs(), request);
  }
  Outcome execute(PreparedPlan& plan, const Request& request = {}) { return test::execute(plan, inputs(), outputs(), request); }
  bool is_right() const {
    for (size_t i = 0; i < y.size(); ++i) {
      if (!(std::abs(y[i] - (1.0F / (1.0F + std::exp(-a[i] * b[i])) + a[i])) < 1e-4F)) return false;
    }
    return true;
  }
  Shape shape;
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> y;
};

class DeviceSuite : public ::testing::TestWithParam<DeviceRow> {
 protected:
  void SetUp() override {
    complaints_before_ = complaints();
    device_ = shared_device(GetParam());
    if (device_ == nullptr) GTEST_SKIP() << "this machine has no such device";
  }
  void TearDown() override { EXPECT_EQ(complaints(), complaints_before_) << "the validation layers complained, see the log"; }
  std::unique_ptr<PreparedPlan> prepare(const std::shared_ptr<const Plan>& plan) { return value_of(device_->prepare(plan, {})); }
  std::unique_ptr<DeviceMemory> allocate(size_t size, bool grows = false) { return value_of(device_->allocate({size, grows})); }

  Device* device_ = nullptr;
  uint64_t complaints_before_ = 0;
};

// Every test file runs its tests on every device.
#define NNVK_ON_EVERY_DEVICE(suite)                                            \
  INSTANTIATE_TEST_SUITE_P(Devices, suite, ::testing::ValuesIn(device_rows()), \
                           [](const auto& info) { return std::string(info.param.name); })

}  // namespace nnvk::test
