// Priorities and deadlines of executions, on a device that is held up for as long as the test wants.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "network.h"
#include "opened_gpu.h"
#include "vulkan/prepared_plan.h"
#include "vulkan/recording/recording.h"

namespace nnvk::vulkan {
namespace {

using namespace test;
using Clock = std::chrono::steady_clock;

const Shape kShape{1, 5, 7, 4};
constexpr int32_t kLow = 90;
constexpr int32_t kMedium = 100;
constexpr int32_t kHigh = 110;

// While closed, the completion thread learns of nothing: for the library the device is busy. Vulkan functions carry no state.
class Gate {
 public:
  static void close() {
    const std::lock_guard lock(mutex);
    is_closed = true;
  }
  static void open() {
    {
      const std::lock_guard lock(mutex);
      is_closed = false;
    }
    changed.notify_all();
  }
  static void pass() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return !is_closed; });
  }

 private:
  static inline std::mutex mutex;
  static inline std::condition_variable changed;
  static inline bool is_closed = false;
};

PFN_vkWaitSemaphoresKHR g_wait_semaphores = nullptr;
PFN_vkWaitForFences g_wait_fences = nullptr;
PFN_vkQueueSubmit g_submit = nullptr;
std::atomic<int> g_submissions{0};
PFN_vkCreateComputePipelines g_create_pipelines = nullptr;
std::atomic<int> g_pipelines{0};
Clock::time_point g_deadline;

VKAPI_ATTR VkResult VKAPI_CALL gated_semaphore_wait(VkDevice device, const VkSemaphoreWaitInfo* info, uint64_t timeout) {
  Gate::pass();
  return g_wait_semaphores(device, info, timeout);
}
VKAPI_ATTR VkResult VKAPI_CALL gated_fence_wait(VkDevice device, uint32_t count, const VkFence* fences, VkBool32 all,
                                                uint64_t timeout) {
  Gate::pass();
  return g_wait_fences(device, count, fences, all, timeout);
}
VKAPI_ATTR VkResult VKAPI_CALL counting_submit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  ++g_submissions;
  return g_submit(queue, count, infos, fence);
}
VKAPI_ATTR VkResult VKAPI_CALL wait_until_the_deadline(VkDevice device, const VkSemaphoreWaitInfo* info, uint64_t timeout) {
  std::this_thread::sleep_until(g_deadline);
  return g_wait_semaphores(device, info, timeout);
}
VKAPI_ATTR VkResult VKAPI_CALL pipelines_until_the_deadline(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                            const VkComputePipelineCreateInfo* infos,
                                                            const VkAllocationCallbacks* callbacks, VkPipeline* pipelines) {
  ++g_pipelines;
  std::this_thread::sleep_until(g_deadline);
  return g_create_pipelines(device, cache, count, infos, callbacks, pipelines);
}

class BusyDevice : public OpenedGpu {
 protected:
  void SetUp() override { use({}); }
  void TearDown() override { Gate::open(); }

  void use(const PlanOverrides& overrides) {
    gpu_ = open(overrides);
    if (!gpu_) GTEST_SKIP() << "no Vulkan device on this machine";
    g_wait_semaphores = functions().vkWaitSemaphoresKHR;
    g_wait_fences = functions().vkWaitForFences;
    g_submit = functions().vkQueueSubmit;
    functions().vkWaitSemaphoresKHR = gated_semaphore_wait;
    functions().vkWaitForFences = gated_fence_wait;
    functions().vkQueueSubmit = counting_submit;
  }

  // Shuts the queue down, and opens the gate once that is under way.
  void shut_down_and_open() {
    std::thread closing([this] { gpu_->completions->shut_down(); });
    std::atomic<bool> is_refused{false};
    while (!is_refused) {
      CompletionQueue::Work nothing;
      nothing.retire = [&is_refused](const Status& result, std::chrono::nanoseconds) {
        if (!result) is_refused = true;
      };
      gpu_->completions->enqueue(std::move(nothing));
      std::this_thread::yield();
    }
    Gate::open();
    closing.join();
  }

  std::unique_ptr<PreparedPlan> prepare(int32_t priority, int tail = 1) {
    PrepareOptions options;
    options.priority = priority;
    auto prepared = prepare_plan(gpu_, residual_network(kShape, tail), cpu::reference_evaluator(), options);
    EXPECT_TRUE(prepared) << prepared.error().message;
    return prepared ? std::move(*prepared) : nullptr;
  }
};

TEST_F(BusyDevice, HigherPrioritiesGoFirstAndEqualOnesInOrder) {
  const auto low = prepare(kLow);
  const auto medium = prepare(kMedium);
  const auto high = prepare(kHigh);
  ASSERT_TRUE(low && medium && high);
  Gate::close();
  std::mutex mutex;
  std::vector<char> order;
  std::vector<Inference> runs(8, Inference(kShape, 1));
  const Fence all = Fence::pending();
  size_t next = 0;
  const auto submit = [&](PreparedPlan& plan, char name) {
    const auto submission = runs[next++].submit(plan);
    ASSERT_TRUE(submission) << submission.error().message;
    submission->done.on_settled([&, name](const Status& result) {
      EXPECT_TRUE(result);
      const std::lock_guard lock(mutex);
      order.push_back(name);
      if (order.size() == runs.size()) all.signal();
    });
  };
  submit(*low, 'a');  // two that the driver has before the others come
  submit(*low, 'b');
  submit(*low, 'l');
  submit(*medium, 'm');
  submit(*high, 'g');
  submit(*low, 'k');
  submit(*medium, 'n');
  submit(*high, 'h');
  Gate::open();
  EXPECT_TRUE(all.wait());
  EXPECT_EQ(std::string(order.begin(), order.end()), "abghmnlk");
}

TEST_F(BusyDevice, AnExecutionThatMissesItsDeadlineInTheQueueIsNotRun) {
  const auto plan = prepare(kMedium);
  ASSERT_TRUE(plan);
  Gate::close();
  std::vector<Inference> runs(8, Inference(kShape, 1));  // more than there are slots
  const auto deadline = Clock::now() + std::chrono::milliseconds(100);
  std::vector<Submission> submissions;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (i >= 2) runs[i].request.deadline = deadline;
    auto submission = runs[i].submit(*plan);
    ASSERT_TRUE(submission) << submission.error().message;
    submissions.push_back(std::move(*submission));
  }
  std::this_thread::sleep_until(deadline);
  Gate::open();
  for (size_t i = 0; i < runs.size(); ++i) {
    const Status result = submissions[i].done.wait();
    if (i < 2) {
      EXPECT_TRUE(result);
      continue;
    }
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::kMissedDeadlinePersistent);
    EXPECT_EQ(runs[i].out[0], -99.0F);
  }
  EXPECT_EQ(plan->counters().at("executions"), 2U);
}

TEST_F(BusyDevice, AnExecutionMissesItsDeadlineBetweenTwoSubmissions) {
  use({.force_many_submissions = true});
  if (!gpu_->context->plan().timeline_semaphore) GTEST_SKIP() << "no timeline semaphore to hold up";
  const auto plan = prepare(kMedium, 4);
  ASSERT_TRUE(plan);
  Inference run(kShape, 1);
  run.request.deadline = g_deadline = Clock::now() + std::chrono::milliseconds(300);
  functions().vkWaitSemaphoresKHR = wait_until_the_deadline;
  g_submissions = 0;
  const auto submission = run.submit(*plan);
  ASSERT_TRUE(submission) << submission.error().message;
  const Status result = submission->done.wait();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kMissedDeadlineTransient);
  EXPECT_EQ(g_submissions, 1);
  EXPECT_EQ(run.out[0], -99.0F);
}

TEST_F(BusyDevice, AbortedExecutionsGiveTheirSlotsBack) {
  const auto plan = prepare(kMedium);
  ASSERT_TRUE(plan);
  std::vector<Inference> fill(4, Inference(kShape, 1));
  const auto use_all_slots = [&] {
    Gate::close();
    std::vector<Submission> submissions;
    for (Inference& run : fill) submissions.push_back(*run.submit(*plan));
    Gate::open();
    for (const Submission& submission : submissions) EXPECT_TRUE(submission.done.wait());
  };
  use_all_slots();
  const Counters before = plan->counters();
  for (int round = 0; round < 20; ++round) {
    Gate::close();
    std::vector<Inference> runs(6, Inference(kShape, 1));
    std::vector<Submission> submissions;
    for (size_t i = 0; i < runs.size(); ++i) {
      if (i >= 2) runs[i].request.deadline = Clock::now() + std::chrono::milliseconds(1);
      auto submission = runs[i].submit(*plan);
      if (submission) submissions.push_back(std::move(*submission));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    Gate::open();
    size_t aborted = 0;
    for (const Submission& submission : submissions) aborted += submission.done.wait() ? 0 : 1;
    EXPECT_EQ(aborted, submissions.size() - 2);
  }
  use_all_slots();
  const Counters after = plan->counters();
  for (const char* name : {"device_allocations", "command_buffers_recorded", "descriptor_sets_written"}) {
    EXPECT_EQ(after.at(name), before.at(name)) << name;
  }
}

TEST_F(BusyDevice, AShutDownFinishesWhatHasBegunToTheLastSubmission) {
  use({.force_many_submissions = true});
  const auto plan = prepare(kMedium, 4);
  ASSERT_TRUE(plan);
  Gate::close();
  Inference run(kShape, 1);
  const auto submission = run.submit(*plan);
  ASSERT_TRUE(submission) << submission.error().message;
  shut_down_and_open();
  EXPECT_TRUE(submission->done.result());
  expect_close(run.out, expected(residual_network(kShape, 4), run));
}

// More than a stack holds when each refusal makes the next one.
TEST_F(BusyDevice, AShutDownRefusesWhatHasNotBegunHoweverMuchItIs) {
  const auto plan = prepare(kMedium);
  ASSERT_TRUE(plan);
  Gate::close();
  Inference run(kShape, 1);
  std::vector<Submission> submissions;
  for (int i = 0; i < 30'000; ++i) submissions.push_back(*run.submit(*plan));
  shut_down_and_open();
  size_t refused = 0;
  for (const Submission& submission : submissions) {
    ASSERT_NE(submission.done.state(), Fence::State::kPending);
    if (const Status result = submission.done.result(); !result) {
      EXPECT_EQ(result.error().code, Code::kUnavailableDevice);
      ++refused;
    }
  }
  EXPECT_EQ(refused, submissions.size() - Recording::kMaxSlots);
}

TEST_F(BusyDevice, CompilationStopsAtItsDeadline) {
  PrepareOptions options;
  options.deadline = g_deadline = Clock::now() + std::chrono::milliseconds(300);
  g_pipelines = 0;
  g_create_pipelines = functions().vkCreateComputePipelines;
  functions().vkCreateComputePipelines = pipelines_until_the_deadline;
  const auto late = prepare_plan(gpu_, residual_network(kShape), cpu::reference_evaluator(), options);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::kMissedDeadlineTransient);
  const int made = g_pipelines;
  const auto plan = prepare(kMedium);
  ASSERT_TRUE(plan);  // nothing of the failure is remembered
  EXPECT_GT(g_pipelines, made);
  Inference run(kShape, 1);
  EXPECT_TRUE(run.execute(*plan));
}

TEST_F(BusyDevice, ACompilationDeadlineThatHasPassedIsPersistent) {
  PrepareOptions options;
  options.deadline = Clock::now() - std::chrono::seconds(1);
  const auto too_late = prepare_plan(gpu_, residual_network(kShape), cpu::reference_evaluator(), options);
  ASSERT_FALSE(too_late);
  EXPECT_EQ(too_late.error().code, Code::kMissedDeadlinePersistent);
}

}  // namespace
}  // namespace nnvk::vulkan
