// Vulkan calls that fail: every error arrives with its code and a message, nothing hangs, and the rest continues to work.
#include <gtest/gtest.h>

#include <atomic>

#include "memory_cache.h"
#include "network.h"
#include "opened_gpu.h"
#include "vulkan/prepared_plan.h"

namespace nnvk::vulkan {
namespace {

using namespace test;

// Calls that fail once `g_calls_left` further ones have succeeded. Vulkan function pointers carry no state, hence globals.
std::atomic<int> g_calls_left{0};
PFN_vkAllocateMemory g_allocate = nullptr;
PFN_vkQueueSubmit g_submit = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL failing_allocate(VkDevice device, const VkMemoryAllocateInfo* info,
                                                const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  if (g_calls_left.fetch_sub(1) <= 0) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  return g_allocate(device, info, callbacks, memory);
}
VKAPI_ATTR VkResult VKAPI_CALL allocate_from_the_second_on(VkDevice device, const VkMemoryAllocateInfo* info,
                                                           const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  if (g_calls_left.fetch_sub(1) > 0) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  return g_allocate(device, info, callbacks, memory);
}
VKAPI_ATTR VkResult VKAPI_CALL failing_submit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  if (g_calls_left.fetch_sub(1) <= 0) return VK_ERROR_DEVICE_LOST;
  return g_submit(queue, count, infos, fence);
}
VKAPI_ATTR VkResult VKAPI_CALL failing_semaphore_wait(VkDevice, const VkSemaphoreWaitInfo*, uint64_t) {
  return VK_ERROR_DEVICE_LOST;
}
VKAPI_ATTR VkResult VKAPI_CALL failing_fence_wait(VkDevice, uint32_t, const VkFence*, VkBool32, uint64_t) {
  return VK_ERROR_DEVICE_LOST;
}
VKAPI_ATTR VkResult VKAPI_CALL failing_reset(VkDevice, uint32_t, const VkFence*) { return VK_ERROR_OUT_OF_DEVICE_MEMORY; }
VKAPI_ATTR VkResult VKAPI_CALL failing_pipelines(VkDevice, VkPipelineCache, uint32_t, const VkComputePipelineCreateInfo*,
                                                 const VkAllocationCallbacks*, VkPipeline*) {
  return VK_ERROR_OUT_OF_HOST_MEMORY;
}

const Shape kShape{1, 5, 7, 4};

class FaultInjection : public OpenedGpu {
 protected:
  void SetUp() override {
    gpu_ = open();
    if (!gpu_) GTEST_SKIP() << "no Vulkan device on this machine";
    g_allocate = functions().vkAllocateMemory;
    g_submit = functions().vkQueueSubmit;
  }
  Result<std::unique_ptr<PreparedPlan>> prepare(const std::shared_ptr<const Plan>& plan, PreparationCache* cache = nullptr) {
    PrepareOptions options;
    options.cache = cache;
    return prepare_plan(gpu_, plan, cpu::reference_evaluator(), options);
  }
};

TEST_F(FaultInjection, WeightsThatCannotBeRestoredArePackedAnew) {
  const auto plan = residual_network(kShape);
  MemoryCache cache;
  ASSERT_TRUE(prepare(plan, &cache));
  cache.reopen();
  functions().vkAllocateMemory = allocate_from_the_second_on;
  g_calls_left = 1;
  const auto prepared = prepare(plan, &cache);
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_EQ((*prepared)->counters().at("cache_misses"), 1U);
  EXPECT_GT((*prepared)->counters().at("weights_packed"), 0U);
  Inference run(kShape, 1);
  ASSERT_TRUE(run.execute(**prepared));
  expect_close(run.out, expected(plan, run));
}

TEST_F(FaultInjection, EveryAllocationMayFailDuringPreparation) {
  const auto plan = residual_network(kShape);
  functions().vkAllocateMemory = failing_allocate;
  int allocations = 0;
  for (; allocations < 100; ++allocations) {
    g_calls_left = allocations;
    const auto prepared = prepare(plan);
    if (prepared) break;
    EXPECT_EQ(prepared.error().code, Code::kResourceExhaustedTransient);
    EXPECT_NE(prepared.error().message.find("VK_ERROR_OUT_OF_DEVICE_MEMORY"), std::string::npos) << prepared.error().message;
  }
  EXPECT_GT(allocations, 1);
  EXPECT_LT(allocations, 100);
}

TEST_F(FaultInjection, WithoutMemoryForAnotherSlotExecutionsShareTheFirst) {
  const auto plan = residual_network(kShape, 6);
  const auto prepared = prepare(plan);
  ASSERT_TRUE(prepared) << prepared.error().message;
  functions().vkAllocateMemory = failing_allocate;
  g_calls_left = 0;
  std::vector<Inference> runs(20, Inference(kShape, 1));
  const std::vector<float> wanted = expected(plan, runs[0]);
  std::vector<Submission> submissions;
  for (Inference& run : runs) {
    auto submission = run.submit(**prepared);
    ASSERT_TRUE(submission) << submission.error().message;
    submissions.push_back(std::move(*submission));
  }
  for (const Submission& submission : submissions) {
    const Status result = submission.done.wait();
    EXPECT_TRUE(result) << result.error().message;
  }
  for (const Inference& run : runs) expect_close(run.out, wanted);
}

TEST_F(FaultInjection, WithoutMemoryForANewShapeTheExecutionFailsAndTheNextOneTriesAgain) {
  const auto plan = residual_network(Shape{1, 1, kUnknownDimension, 4});
  const auto prepared = prepare(plan);
  ASSERT_TRUE(prepared) << prepared.error().message;
  functions().vkAllocateMemory = failing_allocate;
  Inference run(Shape{1, 1, 9, 4}, 1);
  for (int allowed = 0;; ++allowed) {
    ASSERT_LT(allowed, 100);
    g_calls_left = allowed;
    const Status result = run.result_on(**prepared);
    if (result) break;
    EXPECT_EQ(result.error().code, Code::kResourceExhaustedTransient);
  }
  expect_close(run.out, expected(plan, run));
}

TEST_F(FaultInjection, ADeviceLostAtSubmissionFailsThisAndAllLaterExecutions) {
  const auto prepared = prepare(residual_network(kShape));
  ASSERT_TRUE(prepared) << prepared.error().message;
  functions().vkQueueSubmit = failing_submit;
  g_calls_left = 0;
  for (int i = 0; i < 6; ++i) {  // more than the slots: failed executions must return theirs
    Inference run(kShape, 1);
    const Status result = run.result_on(**prepared);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::kDeadObject);
    functions().vkQueueSubmit = g_submit;  // a device that was lost stays lost without further faults
  }
}

TEST_F(FaultInjection, ADeviceLostWhileRunningFailsEverythingInFlight) {
  const auto prepared = prepare(residual_network(kShape, 8));
  ASSERT_TRUE(prepared) << prepared.error().message;
  functions().vkWaitSemaphoresKHR = failing_semaphore_wait;
  functions().vkWaitForFences = failing_fence_wait;
  std::vector<Inference> runs(10, Inference(kShape, 1));
  for (Inference& run : runs) {
    const auto submission = run.submit(**prepared);
    if (!submission) continue;  // submit() has returned the error already
    const Status result = submission->done.wait();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::kDeadObject);
    EXPECT_FALSE(submission->report->result);
  }
  functions().vkDeviceWaitIdle(
      gpu_->context->device());  // the device is not really lost: its work must end before its memory is freed
}

TEST_F(FaultInjection, AFenceThatCannotBeResetIsNotUsedAgain) {
  gpu_ = open({.force_fence_completion = true});
  const auto plan = residual_network(kShape, 8);
  const auto prepared = prepare(plan);
  ASSERT_TRUE(prepared) << prepared.error().message;
  const auto reset = std::exchange(functions().vkResetFences, failing_reset);
  for (int i = 0; i < 20; ++i) {
    Inference run(kShape, static_cast<uint32_t>(i));
    ASSERT_TRUE(run.execute(**prepared));
    expect_close(run.out, expected(plan, run));
  }
  functions().vkResetFences = reset;
}

TEST_F(FaultInjection, APipelineThatCannotBeCreatedIsNamed) {
  functions().vkCreateComputePipelines = failing_pipelines;
  const auto prepared = prepare(residual_network(kShape));
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, Code::kOutOfMemory);
  EXPECT_NE(prepared.error().message.find("vkCreateComputePipelines for "), std::string::npos) << prepared.error().message;
}

}  // namespace
}  // namespace nnvk::vulkan
