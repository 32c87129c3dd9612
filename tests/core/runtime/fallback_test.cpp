// Models over several devices as clients run them: partitioning modes, fallback at compilation and execution, events, durations.
#include <cmath>

#include "core/base/log.h"
#include "core/operations/operation_enumerators.h"
#include "core/runtime/sync_descriptor.h"
#include "tests/core/runtime/runtime_fixture.h"

namespace nnvk::test {
namespace {

// The submission with this number fails.
Answer only(int number) {
  return {[=](int n) { return n == number; }, wanted_failure()};
}

// y = TANH(RELU(TANH(x))). The GPU does not run RELU; the CPU device is so slow that it gets nothing else. The reference claims
// to be fast but must get nothing at all, because the fallback has a device of its own.
class Fallback : public ::testing::Test {
 protected:
  explicit Fallback(Settings settings = {})
      : runtime_(make_gpu(), {make_cpu(), make_reference()}, cpu::reference_evaluator(), std::move(settings)),
        model_(runtime_.extensions()) {
    gpu_->behaviour.takes = [](const PlanNode& node) { return node.code != OperationCode::kRelu; };
    gpu_->behaviour.predicted_seconds = 1e-3;
    cpu_->behaviour.predicted_seconds = 1.0;
    reference_->behaviour.predicted_seconds = 1e-9;
    const uint32_t dims[] = {2};
    const OperandTypeDescription type{3, dims, 1, 0.0F, 0};
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(model_.add_operand(type));
    for (uint32_t i = 0; i < 3; ++i) {
      const uint32_t out = i + 1;
      EXPECT_TRUE(model_.add_operation(i == 1 ? 19 : 28, {&i, 1}, {&out, 1}));
    }
    const uint32_t in = 0;
    const uint32_t out = 3;
    EXPECT_TRUE(model_.identify_inputs_and_outputs({&in, 1}, {&out, 1}));
    EXPECT_TRUE(model_.finish());
  }

  std::vector<std::unique_ptr<Device>> make_gpu() {
    auto device = std::make_unique<FakeDevice>("gpu");
    gpu_ = device.get();
    std::vector<std::unique_ptr<Device>> devices;
    devices.push_back(std::move(device));
    return devices;
  }
  std::unique_ptr<Device> make_cpu() {
    auto device = std::make_unique<FakeDevice>("cpu", DeviceType::kCpu);
    cpu_ = device.get();
    return device;
  }
  std::unique_ptr<Device> make_reference() {
    auto device = std::make_unique<FakeDevice>(kReferenceDeviceName, DeviceType::kCpu);
    reference_ = device.get();
    return device;
  }
  void TearDown() override { EXPECT_EQ(reference_->submissions, 0); }
  std::shared_ptr<Execution> bound(const Compilation& compilation) {
    output_ = {};
    auto execution = Execution::create(compilation);
    EXPECT_TRUE(execution->set(true, 0, {.data = input_.data(), .length = sizeof input_}));
    EXPECT_TRUE(execution->set(false, 0, {.data = output_.data(), .length = sizeof output_}));
    return execution;
  }
  void expect_output() const {
    EXPECT_EQ(output_[0], 0.0F);
    EXPECT_NEAR(output_[1], std::tanh(std::tanh(2.0F)), 1e-6F);
  }

  FakeDevice* gpu_ = nullptr;
  FakeDevice* cpu_ = nullptr;
  FakeDevice* reference_ = nullptr;
  Runtime runtime_;
  Model model_;
  std::array<float, 2> input_{-1.0F, 2.0F};
  std::array<float, 2> output_{};
};

TEST_F(Fallback, WhatTheGpuDeclinesRunsOnTheCpu) {
  Finished compilation(model_, runtime_);
  ASSERT_EQ(compilation.parts().size(), 3U);
  EXPECT_EQ(compilation.parts()[1].device, cpu_);
  EXPECT_EQ(compilation.devices_used(), (std::vector<Device*>{gpu_, cpu_}));
  const auto execution = bound(compilation);
  ASSERT_TRUE(execution->compute());
  expect_output();
  EXPECT_EQ(execution->summary().device, "gpu, cpu");
}

TEST_F(Fallback, TheReferenceIsListedLastAndOnlyUsedWhereAClientChoosesIt) {
  EXPECT_EQ(runtime_.devices(), (std::vector<Device*>{gpu_, cpu_, reference_}));
  EXPECT_EQ(runtime_.eligible_devices(), (std::vector<Device*>{gpu_, cpu_}));
  EXPECT_EQ(&runtime_.fallback(), cpu_);
  EXPECT_EQ(&runtime_.reference(), reference_);
  Finished chosen(model_, runtime_, {reference_});
  EXPECT_TRUE(chosen.is_on_reference_alone());
  EXPECT_TRUE(chosen.is_on_cpu_alone());
  EXPECT_FALSE(chosen.is_on_fallback_alone());
}

TEST_F(Fallback, ModelsThatRanOnTheFallbacksDeviceDoNotRunThereAgain) {
  gpu_->behaviour.takes = [](const PlanNode&) { return false; };
  cpu_->behaviour.execution_result = fail(wanted_failure());
  Finished compilation(model_, runtime_);
  EXPECT_TRUE(compilation.is_on_fallback_alone());
  EXPECT_EQ(code_of(bound(compilation)->compute()), Code::kResourceExhaustedTransient);
  EXPECT_EQ(cpu_->submissions, 1);
}

TEST_F(Fallback, WithoutADeviceOfItsOwnTheReferenceIsTheFallback) {
  auto alone = std::make_unique<FakeDevice>(kReferenceDeviceName, DeviceType::kCpu);
  Device* const reference = alone.get();
  const Runtime runtime({}, {.fallback = nullptr, .reference = std::move(alone)}, HostEvaluator());
  EXPECT_EQ(&runtime.fallback(), reference);
  EXPECT_EQ(runtime.eligible_devices(), (std::vector<Device*>{reference}));
}

TEST_F(Fallback, TheLogTellsTheStepsAndTheirPredictedTimes) {
  static std::vector<std::string> lines;
  lines.clear();
  set_log_sink([](LogLevel level, std::string_view tag, std::string_view text) {
    if (level == LogLevel::kInfo && tag == "ExecutionPlan") lines.emplace_back(text);
  });
  Compilation compilation(model_, runtime_);
  EXPECT_TRUE(compilation.finish());
  set_log_sink(nullptr);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[1].find("step 2 of 3: 1 operations on cpu, predicted 1000 ms"), 0U) << lines[1];
}

TEST_F(Fallback, ADeviceThatAlwaysFailsDoesNotFillTheLog) {
  gpu_->behaviour.execution_result = fail(wanted_failure());
  static std::vector<std::string> lines;
  lines.clear();
  set_log_sink([](LogLevel level, std::string_view tag, std::string_view text) {
    if (level == LogLevel::kWarning && tag == "ExecutionBuilder") lines.emplace_back(text);
  });
  Finished compilation(model_, runtime_);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(bound(compilation)->compute());
  set_log_sink(nullptr);
  ASSERT_EQ(lines.size(), 6U);  // of 40: two steps run on the GPU
  EXPECT_TRUE(lines.front().ends_with("; running it on cpu")) << lines.front();
  EXPECT_TRUE(lines.back().ends_with("; running it on cpu, 32 times by now")) << lines.back();
}

TEST_F(Fallback, EveryKindOfComputationRunsOverPartitions) {
  Finished compilation(model_, runtime_, {gpu_, cpu_});
  const auto execution = bound(compilation);
  ASSERT_TRUE(execution->set_reusable(true));
  Burst burst(compilation);
  for (int i = 0; i < 3; ++i) {
    output_ = {};
    ASSERT_TRUE(execution->compute());
    expect_output();
    output_ = {};
    ASSERT_TRUE(execution->burst_compute(burst));
    expect_output();
    output_ = {};
    const auto event = execution->start_compute();
    ASSERT_TRUE(event && (*event)->wait());
    expect_output();
    output_ = {};
    const auto first = execution->start_with_dependencies({}, 0);
    ASSERT_TRUE(first && (*first)->wait());
    expect_output();
  }
}

TEST_F(Fallback, AStepThatFailsOnTheGpuIsRepairedOnTheCpuAlone) {
  for (Answer FakeBehaviour::*result : {&FakeBehaviour::submit_result, &FakeBehaviour::execution_result}) {
    const int first = gpu_->submissions;
    gpu_->behaviour.*result = Answer([=](int n) { return n == first + 1; }, wanted_failure());
    Finished compilation(model_, runtime_);
    const int on_cpu = cpu_->submissions;
    const auto execution = bound(compilation);
    EXPECT_TRUE(execution->compute());
    expect_output();
    EXPECT_EQ(cpu_->submissions - on_cpu, 2) << "its own step and the failed one";
    EXPECT_EQ(execution->summary().device, "gpu, cpu");
  }
}

TEST_F(Fallback, WhenTheRepairFailsTheWholeModelRunsOnTheCpu) {
  gpu_->behaviour.execution_result = fail(wanted_failure());
  cpu_->behaviour.execution_result = only(0);
  Finished compilation(model_, runtime_);
  const auto execution = bound(compilation);
  EXPECT_TRUE(execution->compute());
  expect_output();
  EXPECT_EQ(execution->summary().device, "cpu");
}

TEST_F(Fallback, WhenACpuStepFailsTheWholeModelRunsOnTheCpu) {
  cpu_->behaviour.submit_result = only(0);
  Finished compilation(model_, runtime_);
  const auto execution = bound(compilation);
  EXPECT_TRUE(execution->compute());
  expect_output();
  EXPECT_EQ(cpu_->submissions, 2);
}

TEST_F(Fallback, TheLastErrorIsTheResultWhenEverythingFails) {
  gpu_->behaviour.execution_result = fail(wanted_failure());
  cpu_->behaviour.execution_result = fail(wanted_failure(Code::kOutOfMemory));
  Finished compilation(model_, runtime_);
  EXPECT_EQ(code_of(bound(compilation)->compute()), Code::kOutOfMemory);
}

TEST_F(Fallback, ChosenDevicesGiveTheFailingStepsCode) {
  gpu_->behaviour.execution_result = only(1);
  Finished compilation(model_, runtime_, {gpu_, cpu_});
  EXPECT_EQ(code_of(bound(compilation)->compute()), Code::kResourceExhaustedTransient);
  EXPECT_EQ(cpu_->submissions, 1);
}

TEST_F(Fallback, AFencedComputationThatWasLaunchedIsNotRunAgain) {
  gpu_->behaviour.execution_result = only(1);
  Finished compilation(model_, runtime_);
  const auto execution = bound(compilation);
  const auto event = value_of(execution->start_with_dependencies({}, 0));
  EXPECT_FALSE(event->wait());
  EXPECT_EQ(cpu_->submissions, 1);
}

TEST_F(Fallback, ADeviceThatCannotPrepareItsStepGivesTheModelToTheCpu) {
  gpu_->behaviour.prepare_result = fail(Code::kResourceExhaustedPersistent, "full");
  Finished compilation(model_, runtime_);
  EXPECT_TRUE(compilation.is_on_fallback_alone());
  Compilation chosen(model_, runtime_, {gpu_, cpu_});
  EXPECT_EQ(code_of(chosen.finish()), Code::kResourceExhaustedPersistent);
}

// Two floats that were allocated for the GPU alone.
class GpuMemory final : public Memory {
 public:
  Result<std::span<std::byte>> map(MapAccess) const override { return std::as_writable_bytes(std::span(values_)); }
  Status check_usable_by_cpu(MapAccess) const override { return fail(Code::kUnmappable, "not for the CPU"); }
  Status check_constant_range(size_t, size_t) const override { return {}; }
  Status check_usable_for_constants() const override { return {}; }
  Status check_region(const MemoryUse&, const MemoryRegion&) const override { return {}; }
  Result<uint64_t> logical_size() const override { return sizeof values_; }

 private:
  mutable std::array<float, 2> values_{};
};

TEST_F(Fallback, TheCpuDoesNotStepInForMemoryThatItMayNotUse) {
  gpu_->behaviour.takes = [](const PlanNode&) { return true; };
  Finished compilation(model_, runtime_);
  GpuMemory memory;
  const auto compute = [&] {
    const auto execution = Execution::create(compilation);
    EXPECT_TRUE(execution->set(true, 0, {.memory = &memory, .length = sizeof output_}));
    EXPECT_TRUE(execution->set(false, 0, {.data = output_.data(), .length = sizeof output_}));
    return code_of(execution->compute());
  };
  EXPECT_EQ(compute(), Code::kNoError);
  gpu_->behaviour.execution_result = fail(wanted_failure());
  EXPECT_EQ(compute(), Code::kUnmappable);
  EXPECT_EQ(cpu_->submissions, 0);
}

Settings with_mode(Partitioning mode) {
  Settings settings;
  settings.partitioning = mode;
  return settings;
}

class WithoutPartitions : public Fallback {
 protected:
  WithoutPartitions() : Fallback(with_mode(Partitioning::kNone)) {}
};

TEST_F(WithoutPartitions, EverythingRunsOnTheCpuUnlessTheClientChoosesDevices) {
  Finished compilation(model_, runtime_);
  EXPECT_TRUE(compilation.is_on_fallback_alone());
  Finished chosen(model_, runtime_, {gpu_, cpu_});
  EXPECT_EQ(chosen.parts().size(), 3U);
}

TEST_F(WithoutPartitions, FencedComputationsOnTheCpuHaveASyncFence) {
  Finished compilation(model_, runtime_);
  const auto execution = bound(compilation);
  const auto event = value_of(execution->start_with_dependencies({}, 0));
  const FileDescriptor fence(value_of(event->duplicate_descriptor()));
  EXPECT_TRUE(wait_for_sync_descriptor(fence.get()));
  expect_output();
}

class WithoutFallback : public Fallback {
 protected:
  WithoutFallback() : Fallback(with_mode(Partitioning::kWithoutFallback)) {}
};

TEST_F(WithoutFallback, ErrorsAreFinal) {
  Finished compilation(model_, runtime_);
  EXPECT_EQ(compilation.parts().size(), 3U);
  gpu_->behaviour.execution_result = fail(wanted_failure());
  EXPECT_EQ(code_of(bound(compilation)->compute()), Code::kResourceExhaustedTransient);
  gpu_->behaviour.prepare_result = fail(Code::kOpFailed, "no");
  Compilation failing(model_, runtime_);
  EXPECT_EQ(code_of(failing.finish()), Code::kOpFailed);
}

Settings with_waiting_start() {
  Settings settings;
  settings.start_compute_waits = true;
  return settings;
}

class SynchronousStart : public Fallback {
 protected:
  SynchronousStart() : Fallback(with_waiting_start()) {}
};

TEST_F(SynchronousStart, StartComputeReturnsWithTheResult) {
  Finished compilation(model_, runtime_);
  const auto execution = bound(compilation);
  const auto event = value_of(execution->start_compute());
  expect_output();
  EXPECT_TRUE(event->wait());
}

}  // namespace
}  // namespace nnvk::test
