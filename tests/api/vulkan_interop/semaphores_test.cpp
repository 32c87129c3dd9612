// Executions between the semaphores of an application.
#include <nnvk/diagnostics.h>

#include <chrono>
#include <thread>

#include "tests/api/vulkan_interop/application.h"

namespace nnvk::test {
namespace {

constexpr uint32_t kBoth = NNVK_VK_ACCESS_READ | NNVK_VK_ACCESS_WRITE;
constexpr size_t kBytes = kConvolutionFloats * sizeof(float);

class VulkanSemaphores : public WithApplication {
 protected:
  void SetUp() override {
    WithApplication::SetUp();
    if (application_ == nullptr) return;
    device_ = application_->import();
    input_ = application_->make_buffer(kConvolutionFloats);
    output_ = application_->make_buffer(kConvolutionFloats);
    in_ = over(input_.buffer);
    out_ = over(output_.buffer);
    compiled_ = std::make_unique<Compiled>(make_convolution(), device_);
  }
  void TearDown() override {
    compiled_.reset();
    in_.reset();
    out_.reset();
    WithApplication::TearDown();
  }
  MemoryPointer over(VkBuffer buffer) {
    ANeuralNetworksMemory* memory = nullptr;
    EXPECT_EQ(nnvk_vkMemoryFromBuffer(device_, buffer, 0, kBytes, Application::kAllUsage, kBoth, &memory), kOk)
        << nnvk_lastError();
    return MemoryPointer(memory);
  }
  ExecutionPointer bound() { return make_execution(compiled_->compilation, {{in_, 0, kBytes}}, {{out_, 0, kBytes}}); }

  int start(const ExecutionPointer& execution, const std::vector<NnvkVkSemaphore>& waits,
            const std::vector<NnvkVkSemaphore>& signals, ANeuralNetworksEvent** event = nullptr,
            const std::vector<const ANeuralNetworksEvent*>& dependencies = {}) {
    return nnvk_vkStartCompute(execution.get(), static_cast<uint32_t>(waits.size()), waits.data(),
                               static_cast<uint32_t>(signals.size()), signals.data(), static_cast<uint32_t>(dependencies.size()),
                               dependencies.data(), event);
  }
  static void expect_result_of(float value, const float* output) {
    const std::vector<float> expected = convolution_of(std::vector<float>(kConvolutionFloats, value));
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(output[i], expected[i], 1e-4F) << i;
  }

  Application::HostBuffer input_;
  Application::HostBuffer output_;
  MemoryPointer in_;
  MemoryPointer out_;
  std::unique_ptr<Compiled> compiled_;
};

// The layers of 1.3.239 lose signals of the host now and then ("most likely a validation bug") and then wait for ten seconds.
class VulkanSemaphoresOfTheHost : public VulkanSemaphores {
  ApplicationOptions options() const override { return {.validated = false}; }
};

TEST_F(VulkanSemaphores, ATimelineLeadsFromTheApplicationToTheModelAndBack) {
  const VkSemaphore timeline = application_->make_semaphore(true);
  const auto result = application_->make_buffer(kConvolutionFloats);
  for (uint64_t frame = 0; frame < 5; ++frame) {
    const uint64_t at = frame * 3;
    const auto value = static_cast<float>(frame + 1);
    application_->submit_fill(input_.buffer, kConvolutionFloats, value, {}, {{timeline, at + 1}});
    ASSERT_EQ(start(bound(), {{timeline, at + 1}}, {{timeline, at + 2}}), kOk) << nnvk_lastError();
    application_->submit_copy(output_.buffer, result.buffer, kConvolutionFloats, {{timeline, at + 2}}, {{timeline, at + 3}});
    ASSERT_TRUE(application_->wait(timeline, at + 3));
    expect_result_of(value, result.floats);
  }
  EXPECT_EQ(counts().unlocked_submits, 0);
}

TEST_F(VulkanSemaphores, BinarySemaphoresMayBeWaitedForAtOnce) {
  const VkSemaphore filled = application_->make_semaphore(false);
  const VkSemaphore computed = application_->make_semaphore(false);
  const VkSemaphore done = application_->make_semaphore(true);
  const auto result = application_->make_buffer(kConvolutionFloats);
  application_->submit_fill(input_.buffer, kConvolutionFloats, 2.0F, {}, {{filled, 0}});
  ASSERT_EQ(start(bound(), {{filled, 0}}, {{computed, 0}}), kOk) << nnvk_lastError();
  application_->submit_copy(output_.buffer, result.buffer, kConvolutionFloats, {{computed, 0}}, {{done, 1}});
  ASSERT_TRUE(application_->wait(done, 1));
  expect_result_of(2.0F, result.floats);
}

TEST_F(VulkanSemaphores, OneExecutionIsOneSubmission) {
  const VkSemaphore timeline = application_->make_semaphore(true);
  counts().submits = 0;
  ASSERT_EQ(start(bound(), {}, {{timeline, 1}}), kOk);
  EXPECT_EQ(counts().submits, 1);  // within the call
  ASSERT_TRUE(application_->wait(timeline, 1));
}

TEST_F(VulkanSemaphores, EventsTellTheResultAndFollowTheRulesOfFencedExecutions) {
  const VkSemaphore timeline = application_->make_semaphore(true);
  application_->submit_fill(input_.buffer, kConvolutionFloats, 3.0F, {}, {{timeline, 1}});
  const ExecutionPointer execution = bound();
  ANeuralNetworksEvent* event = nullptr;
  ASSERT_EQ(start(execution, {{timeline, 1}}, {}, &event), kOk) << nnvk_lastError();
  const EventPointer owner(event);
  EXPECT_EQ(start(execution, {}, {}), kBadState);
  EXPECT_EQ(ANeuralNetworksEvent_wait(event), kOk);
  expect_result_of(3.0F, output_.floats);
}

TEST_F(VulkanSemaphoresOfTheHost, DependenciesComeFirst) {
  const VkSemaphore gate = application_->make_semaphore(true);
  const VkSemaphore timeline = application_->make_semaphore(true);
  const auto middle = application_->make_buffer(kConvolutionFloats);
  const MemoryPointer between = over(middle.buffer);
  std::fill_n(input_.floats, kConvolutionFloats, 1.0F);
  const ExecutionPointer first = make_execution(compiled_->compilation, {{in_, 0, kBytes}}, {{between, 0, kBytes}});
  ANeuralNetworksEvent* event = nullptr;
  ASSERT_EQ(start(first, {{gate, 1}}, {}, &event), kOk);
  const EventPointer owner(event);
  const ExecutionPointer second = make_execution(compiled_->compilation, {{between, 0, kBytes}}, {{out_, 0, kBytes}});
  const VkSemaphore binary = application_->make_semaphore(false);
  ASSERT_EQ(start(make_execution(compiled_->compilation, {{between, 0, kBytes}}, {{out_, 0, kBytes}}), {}, {{binary, 0}}, nullptr,
                  {event}),
            kBadData);
  EXPECT_NE(nnvk_last_error().find("timeline"), std::string::npos) << nnvk_last_error();
  ASSERT_EQ(start(second, {}, {{timeline, 1}}, nullptr, {event}), kOk) << nnvk_lastError();
  EXPECT_EQ(application_->value_of(timeline), 0U);
  VkSemaphoreSignalInfo open{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, gate, 1};
  ASSERT_EQ(application_->vk().vkSignalSemaphore(application_->device(), &open), VK_SUCCESS);
  ASSERT_TRUE(application_->wait(timeline, 1));
  const std::vector<float> once = convolution_of(std::vector<float>(kConvolutionFloats, 1.0F));
  const std::vector<float> twice = convolution_of(once);
  for (size_t i = 0; i < twice.size(); ++i) EXPECT_NEAR(output_.floats[i], twice[i], 1e-2F) << i;
}

TEST_F(VulkanSemaphoresOfTheHost, FencedExecutionsBehindOneAreInTheQueueBeforeItHasBegun) {
  const VkSemaphore gate = application_->make_semaphore(true);
  const auto middle = application_->make_buffer(kConvolutionFloats);
  const MemoryPointer between = over(middle.buffer);
  std::fill_n(input_.floats, kConvolutionFloats, 1.0F);
  const std::pair<const MemoryPointer*, const MemoryPointer*> links[] = {{&in_, &between}, {&between, &out_}, {&out_, &in_}};
  std::vector<ExecutionPointer> executions;
  for (const auto& [from, to] : links) {
    executions.push_back(make_execution(compiled_->compilation, {{*from, 0, kBytes}}, {{*to, 0, kBytes}}));
  }
  counts().submits = 0;
  ANeuralNetworksEvent* event = nullptr;
  ASSERT_EQ(start(executions[0], {{gate, 1}}, {}, &event), kOk) << nnvk_lastError();
  std::vector<EventPointer> events;
  events.emplace_back(event);
  for (size_t i = 1; i < executions.size(); ++i) {
    const ANeuralNetworksEvent* const before = event;
    EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(executions[i].get(), &before, 1, 0, &event), kOk);
    events.emplace_back(event);
  }
  EXPECT_EQ(counts().submits, 3);
  VkSemaphoreSignalInfo open{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, gate, 1};
  ASSERT_EQ(application_->vk().vkSignalSemaphore(application_->device(), &open), VK_SUCCESS);
  for (const EventPointer& owner : events) EXPECT_EQ(ANeuralNetworksEvent_wait(owner.get()), kOk);
  const std::vector<float> twice = convolution_of(convolution_of(std::vector<float>(kConvolutionFloats, 1.0F)));
  for (size_t i = 0; i < twice.size(); ++i) EXPECT_NEAR(output_.floats[i], twice[i], 1e-2F) << i;
  EXPECT_EQ(counts().unlocked_submits, 0);
}

TEST_F(VulkanSemaphores, AFailedDependencySignalsAllTheSame) {
  const VkSemaphore timeline = application_->make_semaphore(true);
  // A sync fence whose producer has closed its end: an error.
  int fds[2];
  ASSERT_EQ(::pipe(fds), 0);
  ANeuralNetworksEvent* broken = nullptr;
  ASSERT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(fds[0], &broken), kOk);
  const EventPointer broken_owner(broken);
  ANeuralNetworksEvent* event = nullptr;
  const ExecutionPointer execution = bound();
  ASSERT_EQ(start(execution, {}, {{timeline, 1}}, &event, {broken}), kOk) << nnvk_lastError();
  const EventPointer owner(event);
  ::close(fds[1]);
  EXPECT_EQ(ANeuralNetworksEvent_wait(event), kFailed);
  EXPECT_TRUE(application_->wait(timeline, 1));
  ::close(fds[0]);
}

TEST_F(VulkanSemaphores, WhatFailsInTheCallSignalsNothing) {
  const VkSemaphore timeline = application_->make_semaphore(true);
  EXPECT_EQ(start(make_execution(compiled_->compilation.get()), {}, {{timeline, 1}}), kBadData);  // nothing is bound
  EXPECT_EQ(start(bound(), {{VK_NULL_HANDLE, 1}}, {{timeline, 1}}), kBadData);
  EXPECT_NE(nnvk_last_error().find("waits[0]"), std::string::npos) << nnvk_last_error();
  EXPECT_EQ(nnvk_vkStartCompute(nullptr, 0, nullptr, 0, nullptr, 0, nullptr, nullptr), kNull);
  EXPECT_EQ(nnvk_vkStartCompute(bound().get(), 1, nullptr, 0, nullptr, 0, nullptr, nullptr), kNull);
  application_->wait_idle();
  EXPECT_EQ(application_->value_of(timeline), 0U);
}

TEST_F(VulkanSemaphoresOfTheHost, MoreExecutionsThanSlotsAreRefusedUntilOneHasCompleted) {
  const VkSemaphore gate = application_->make_semaphore(true);
  const VkSemaphore timeline = application_->make_semaphore(true);
  std::vector<ExecutionPointer> executions;
  int result = kOk;
  uint64_t started = 0;
  while (result == kOk && started < 100) {
    executions.push_back(bound());
    result = start(executions.back(), {{gate, 1}}, {{timeline, started + 1}});
    if (result == kOk) ++started;
  }
  EXPECT_EQ(result, ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT);
  EXPECT_EQ(started, 4U);
  VkSemaphoreSignalInfo open{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, gate, 1};
  ASSERT_EQ(application_->vk().vkSignalSemaphore(application_->device(), &open), VK_SUCCESS);
  ASSERT_TRUE(application_->wait(timeline, started));
}

TEST_F(VulkanSemaphoresOfTheHost, ATimeoutEndsTheWaitForASemaphoreAndLeavesTheQueueInOrder) {
  const VkSemaphore gate = application_->make_semaphore(true);
  const VkSemaphore timeline = application_->make_semaphore(true);
  const ExecutionPointer execution = bound();
  ASSERT_EQ(ANeuralNetworksExecution_setTimeout(execution.get(), 300'000'000), kOk);
  std::fill_n(input_.floats, kConvolutionFloats, 2.0F);
  std::fill_n(output_.floats, kConvolutionFloats, -99.0F);
  ANeuralNetworksEvent* event = nullptr;
  const auto began = std::chrono::steady_clock::now();
  ASSERT_EQ(start(execution, {{gate, 1}}, {{timeline, 1}}, &event), kOk) << nnvk_lastError();
  EventPointer owner(event);
  // After the timeout nnvk must not write host memory.
  std::vector<float> output(kConvolutionFloats, -99.0F);
  const ExecutionPointer to_host = make_execution(compiled_->compilation, {{in_, 0, kBytes}}, {output});
  ASSERT_EQ(ANeuralNetworksExecution_setTimeout(to_host.get(), 300'000'000), kOk);
  ASSERT_EQ(start(to_host, {}, {{timeline, 2}}, &event), kOk) << nnvk_lastError();
  EventPointer second(event);
  EXPECT_EQ(ANeuralNetworksEvent_wait(owner.get()), ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
  EXPECT_EQ(ANeuralNetworksEvent_wait(second.get()), ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
  owner.reset();
  second.reset();
  EXPECT_EQ(application_->value_of(timeline), 0U);
  VkSemaphoreSignalInfo open{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, gate, 1};
  ASSERT_EQ(application_->vk().vkSignalSemaphore(application_->device(), &open), VK_SUCCESS);
  ASSERT_TRUE(application_->wait(timeline, 2));
  expect_result_of(2.0F, output_.floats);
  ASSERT_EQ(start(bound(), {}, {{timeline, 3}}), kOk) << nnvk_lastError();
  ASSERT_TRUE(application_->wait(timeline, 3));
  EXPECT_EQ(output, std::vector<float>(kConvolutionFloats, -99.0F));
}

// The execution itself does not wait for the application, but work before it in the queue does.
TEST_F(VulkanSemaphoresOfTheHost, ATimeoutOfAnOrdinaryComputationCountsBehindTheApplicationsWork) {
  const VkSemaphore gate = application_->make_semaphore(true);
  const VkSemaphore timeline = application_->make_semaphore(true);
  application_->submit_fill(input_.buffer, kConvolutionFloats, 2.0F, {{gate, 1}}, {{timeline, 1}});
  const ExecutionPointer execution = bound();
  ASSERT_EQ(ANeuralNetworksExecution_setTimeout(execution.get(), 300'000'000), kOk);
  EXPECT_EQ(compute(execution), ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT) << nnvk_lastError();
  VkSemaphoreSignalInfo open{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, gate, 1};
  ASSERT_EQ(application_->vk().vkSignalSemaphore(application_->device(), &open), VK_SUCCESS);
  EXPECT_EQ(compute(bound()), kOk) << nnvk_lastError();
  expect_result_of(2.0F, output_.floats);
}

TEST_F(VulkanSemaphores, CompilationsForOtherDevicesAreRefused) {
  const VkSemaphore timeline = application_->make_semaphore(true);
  const Compiled elsewhere(make_convolution(), cpu_device());
  std::vector<float> input(kConvolutionFloats);
  std::vector<float> output(kConvolutionFloats);
  const ExecutionPointer on_cpu = make_execution(elsewhere.compilation, {input}, {output});
  EXPECT_EQ(start(on_cpu, {}, {{timeline, 1}}), NNVK_NOT_RECORDABLE);
  const EndlessLoop loop;
  float seen = 1.0F;
  float never = 0.0F;
  const CompilationPointer looped = compiled_on(loop.get(), device_);
  EXPECT_EQ(start(make_execution(looped, {seen}, {never}), {}, {{timeline, 1}}), NNVK_NOT_RECORDABLE) << nnvk_lastError();
  EXPECT_EQ(application_->value_of(timeline), 0U);
}

TEST_F(VulkanSemaphores, HostMemoryIsWrittenWhenTheEventSignals) {
  const VkSemaphore timeline = application_->make_semaphore(true);
  const std::vector<float> input(kConvolutionFloats, 4.0F);
  std::vector<float> output(kConvolutionFloats);
  const ExecutionPointer execution = make_execution(compiled_->compilation, {input}, {output});
  ANeuralNetworksEvent* event = nullptr;
  ASSERT_EQ(start(execution, {}, {{timeline, 1}}, &event), kOk) << nnvk_lastError();
  EXPECT_EQ(ANeuralNetworksEvent_wait(event), kOk);
  ANeuralNetworksEvent_free(event);
  expect_result_of(4.0F, output.data());
  EXPECT_TRUE(application_->wait(timeline, 1));
}

TEST(VulkanSemaphoresWithoutTimelines, BinaryOnesWorkAndTimelinesAreRefused) {
  const auto application = Application::create({.recommended = false});
  if (application == nullptr) GTEST_SKIP() << "no Vulkan device";
  ANeuralNetworksDevice* const device = application->import();
  {
    const Compiled compiled(make_convolution(), device);
    const std::vector<float> input(kConvolutionFloats, 1.0F);
    std::vector<float> output(kConvolutionFloats);
    const ExecutionPointer execution = make_execution(compiled.compilation, {input}, {output});
    const VkSemaphore binary = application->make_semaphore(false);
    const NnvkVkSemaphore timeline{binary, 1};  // checked before its use
    EXPECT_EQ(nnvk_vkStartCompute(execution.get(), 1, &timeline, 0, nullptr, 0, nullptr, nullptr), kBadData);
    EXPECT_NE(std::string(nnvk_lastError()).find("timelineSemaphore"), std::string::npos) << nnvk_lastError();
    const NnvkVkSemaphore signal{binary, 0};
    const ExecutionPointer again = make_execution(compiled.compilation, {input}, {output});
    ANeuralNetworksEvent* event = nullptr;
    ASSERT_EQ(nnvk_vkStartCompute(again.get(), 0, nullptr, 1, &signal, 0, nullptr, &event), kOk) << nnvk_lastError();
    EXPECT_EQ(ANeuralNetworksEvent_wait(event), kOk);
    ANeuralNetworksEvent_free(event);
    ASSERT_EQ(nnvk_vkStartCompute(make_execution(compiled.compilation, {input}, {output}).get(), 1, &signal, 0, nullptr, 0,
                                  nullptr, &event),
              kOk);
    EXPECT_EQ(ANeuralNetworksEvent_wait(event), kOk);  // an idle device is not enough: nnvk writes host memory afterwards
    ANeuralNetworksEvent_free(event);
  }
  EXPECT_EQ(nnvk_vkReleaseDevice(device), kOk) << nnvk_lastError();
  EXPECT_EQ(application->messages(), 0);
}

}  // namespace
}  // namespace nnvk::test
