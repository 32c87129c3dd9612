// Priorities and deadlines of executions, on a device that a test can hold up.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "network.h"
#include "opened_gpu.h"
#include "vulkan/prepared_plan.h"
#include "vulkan/recording/recording.h"
#include "vulkan/recording/resident_memory.h"

namespace nnvk::vulkan {
namespace {

using namespace test;
using Clock = std::chrono::steady_clock;

const Shape kShape{1, 5, 7, 4};
constexpr int32_t kLow = 90;
constexpr int32_t kMedium = 100;
constexpr int32_t kHigh = 110;

// While it is closed, the completion thread sees no finished work: the device looks busy. Vulkan functions carry no state.
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
PFN_vkGetSemaphoreCounterValueKHR g_counter_value = nullptr;
PFN_vkWaitForFences g_wait_fences = nullptr;
PFN_vkQueueSubmit g_submit = nullptr;
std::atomic<int> g_submissions{0};
std::mutex g_command_buffers_mutex;
std::vector<uint32_t> g_command_buffers;  // of each submission
PFN_vkCreateComputePipelines g_create_pipelines = nullptr;
std::atomic<int> g_pipelines{0};
Clock::time_point g_deadline;

VKAPI_ATTR VkResult VKAPI_CALL gated_semaphore_wait(VkDevice device, const VkSemaphoreWaitInfo* info, uint64_t timeout) {
  Gate::pass();
  return g_wait_semaphores(device, info, timeout);
}
// Waits as SwiftShader does: for a counter that equals the value, although Vulkan says that a greater one ends the wait.
VKAPI_ATTR VkResult VKAPI_CALL wait_for_equality(VkDevice device, const VkSemaphoreWaitInfo* info, uint64_t timeout) {
  Gate::pass();
  const auto end = Clock::now() + std::chrono::nanoseconds(timeout);
  do {
    uint64_t value = 0;
    const VkResult asked = g_counter_value(device, info->pSemaphores[0], &value);
    if (asked != VK_SUCCESS) return asked;
    if (value == info->pValues[0]) return VK_SUCCESS;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (Clock::now() < end);
  return VK_TIMEOUT;
}
VKAPI_ATTR VkResult VKAPI_CALL gated_fence_wait(VkDevice device, uint32_t count, const VkFence* fences, VkBool32 all,
                                                uint64_t timeout) {
  Gate::pass();
  return g_wait_fences(device, count, fences, all, timeout);
}
VKAPI_ATTR VkResult VKAPI_CALL counting_submit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  ++g_submissions;
  {
    const std::lock_guard lock(g_command_buffers_mutex);
    for (uint32_t i = 0; i < count; ++i) g_command_buffers.push_back(infos[i].commandBufferCount);
  }
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

// Work without commands, which notes that the queue has refused it.
struct Nothing final : QueueWork {
  explicit Nothing(std::atomic<bool>& refused) : is_refused(refused) {}
  std::span<const VkCommandBuffer> commands() const override { return {}; }
  std::string describe() const override { return "nothing"; }
  void retire(const Status& result, std::chrono::nanoseconds) override {
    if (!result) is_refused = true;
  }
  std::atomic<bool>& is_refused;
};

class BusyDevice : public OpenedGpu {
 protected:
  // Otherwise a slow device would split executions into several submissions, and the driver's queue would hold other numbers.
  void SetUp() override { use({.force_one_submission = true}); }
  void TearDown() override { Gate::open(); }

  void use(const PlanOverrides& overrides) {
    close();
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
      WaitingWork nothing;
      nothing.work = std::make_shared<Nothing>(is_refused);
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
    submission->done.on_settled([&, all, name](const Status& result) {
      EXPECT_TRUE(result);
      bool is_last = false;
      {
        const std::lock_guard lock(mutex);
        order.push_back(name);
        is_last = order.size() == runs.size();
      }
      if (is_last) all.signal();  // after this the test may end and destroy the captured objects
    });
  };
  submit(*low, 'a');  // the driver has two before the others arrive
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

TEST_F(BusyDevice, ADriverMayMissTheEndOfASubmissionIfALaterOneEndsFirst) {
  use({.force_one_submission = true, .longest_standstill = std::chrono::milliseconds(2000)});
  if (!gpu_->context->plan().timeline_semaphore) GTEST_SKIP() << "no timeline semaphore";
  const auto plan = prepare(kMedium);
  ASSERT_TRUE(plan);
  Inference first(kShape, 1);
  ASSERT_TRUE(first.execute(*plan));  // the packing of weights has ended
  g_counter_value = functions().vkGetSemaphoreCounterValueKHR;
  functions().vkWaitSemaphoresKHR = wait_for_equality;
  Gate::close();
  std::vector<Inference> runs(2, Inference(kShape, 1));
  std::vector<Submission> submissions;
  for (Inference& run : runs) {
    auto submission = run.submit(*plan);
    ASSERT_TRUE(submission) << submission.error().message;
    submissions.push_back(std::move(*submission));
  }
  ASSERT_EQ(functions().vkDeviceWaitIdle(gpu_->context->device()), VK_SUCCESS);
  Gate::open();
  for (const Submission& submission : submissions) {
    const Status result = submission.done.wait();
    EXPECT_TRUE(result) << result.error().message;
  }
}

// However long a part takes: the device is held up at each.
TEST_F(BusyDevice, NothingLessImportantComesBetweenTheSubmissionsOfAnExecution) {
  use({.force_many_submissions = true});
  const auto low = prepare(kLow);
  const auto medium = prepare(kMedium, 4);
  ASSERT_TRUE(low && medium);
  std::mutex mutex;
  std::string order;
  const auto note = [&](const Submission& submission, char name) {
    const Fence noted = Fence::pending();
    submission.done.on_settled([&mutex, &order, name, noted](const Status& result) {
      EXPECT_TRUE(result);
      {
        const std::lock_guard lock(mutex);
        order += name;
      }
      noted.signal();
    });
    return noted;
  };
  for (int round = 0; round < 5; ++round) {
    Gate::close();
    Inference important(kShape, 1);
    Inference other(kShape, 2);
    g_submissions = 0;
    const auto first = important.submit(*medium);
    const auto second = other.submit(*low);
    ASSERT_TRUE(first && second);
    const Fence noted[] = {note(*first, 'm'), note(*second, 'l')};
    EXPECT_EQ(g_submissions, 1) << "the driver has room for another, which the second part of the first is to take";
    Gate::open();
    EXPECT_TRUE(when_all(noted).wait());
  }
  const std::lock_guard lock(mutex);
  EXPECT_EQ(order, "mlmlmlmlml");
}

TEST_F(BusyDevice, AMoreImportantExecutionComesBetweenTheSubmissionsOfAnother) {
  use({.force_many_submissions = true});
  const auto low = prepare(kLow, 6);
  const auto high = prepare(kHigh);
  ASSERT_TRUE(low && high);
  Gate::close();
  Inference slow(kShape, 1);
  Inference urgent(kShape, 2);
  const auto first = slow.submit(*low);
  const auto second = urgent.submit(*high);
  ASSERT_TRUE(first && second);
  Fence::State state_then = Fence::State::kSignalled;
  const Fence seen = Fence::pending();
  second->done.on_settled([&, seen, first = first->done](const Status&) {
    state_then = first.state();
    seen.signal();
  });
  Gate::open();
  EXPECT_TRUE(first->done.wait());
  EXPECT_TRUE(seen.wait());
  EXPECT_EQ(state_then, Fence::State::kPending);
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

// So many refusals that recursion, one inside the other, would overflow the stack.
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
  EXPECT_EQ(refused, submissions.size() - Slots::kMost);
}

// Links over memory of the device: y = x + 1 in one dispatch.
class FollowingRuns : public BusyDevice {
 protected:
  void SetUp() override {
    BusyDevice::SetUp();
    if (IsSkipped()) return;
    PlanFixture f;
    const TensorId x = f.input(kSmall);
    const TensorId y = f.output(kSmall);
    f.node(OperationCode::kAdd, {x, f.constant<float>({1}, OperandType::kTensorFloat32, {1.0F}), f.scalar(0)}, {y});
    plan_ = *prepare_plan(gpu_, f.plan(), cpu::reference_evaluator(), {});
    const std::vector<float> zeros(4);
    for (auto& tensor : tensors_) {  // new memory may still hold the results of the test before
      tensor = *ResidentMemory::create(gpu_, {16, false});
      EXPECT_TRUE(value_of(tensor->write(std::as_bytes(std::span(zeros)))).wait());
    }
  }
  void TearDown() override {
    BusyDevice::TearDown();
    plan_.reset();
  }

  Submission submit(size_t from, size_t to, const std::vector<Submission>& behind = {}) {
    Binding in;
    in.device_memory = tensors_[from].get();
    in.shape = kSmall;
    Binding out = in;
    out.device_memory = tensors_[to].get();
    Request request;
    request.inputs = {&in, 1};
    request.outputs = {&out, 1};
    std::vector<std::shared_ptr<const QueuePlace>> places;
    for (const Submission& submission : behind) places.push_back(submission.place);
    request.behind = places;
    return behind.empty() ? value_of(plan_->submit(request)) : value_of(plan_->submit_behind(request)).value();
  }
  float value(size_t tensor) {
    std::vector<float> values(4);
    EXPECT_TRUE(value_of(tensors_[tensor]->read(std::as_writable_bytes(std::span(values)))).wait());
    return values[3];
  }
  // For each submission since the last call: whether a barrier precedes it.
  static std::vector<bool> take_barriers() {
    const std::lock_guard lock(g_command_buffers_mutex);
    std::vector<bool> barriers;
    for (const uint32_t count : g_command_buffers) barriers.push_back(count > 1);
    g_command_buffers.clear();
    return barriers;
  }

  const Shape kSmall{4};
  std::unique_ptr<PreparedPlan> plan_;
  std::array<std::unique_ptr<DeviceMemory>, 5> tensors_;
};

// Holds only before nnvk knows the duration of a link; later it gives a slow device fewer links at a time.
TEST_F(FollowingRuns, AHundredLinksReachTheDriverWhileTheHostSeesNothing) {
  Gate::close();
  g_submissions = 0;
  std::vector<Submission> links{submit(0, 1)};
  for (size_t i = 1; i < 100; ++i) links.push_back(submit(i % 2, (i + 1) % 2, {links.back()}));
  EXPECT_EQ(g_submissions, 100);
  for (const Submission& link : links) EXPECT_EQ(link.done.state(), Fence::State::kPending);
  Gate::open();
  for (const Submission& link : links) EXPECT_TRUE(link.done.wait());
  EXPECT_EQ(value(0), 100.0F);
  EXPECT_EQ(plan_->counters().at("queued_behind"), 99U);
  EXPECT_EQ(plan_->counters().at("queued_behind_at_once"), 99U);
}

TEST_F(FollowingRuns, ARepeatedChainRecordsAndAllocatesNothing) {
  const auto run = [&] {
    std::vector<Submission> links{submit(0, 1)};
    for (size_t i = 1; i < 50; ++i) links.push_back(submit(i % 2, (i + 1) % 2, {links.back()}));
    for (const Submission& link : links) EXPECT_TRUE(link.done.wait());
  };
  run();
  run();
  const Counters before = plan_->counters();
  run();
  const Counters after = plan_->counters();
  for (const char* name : {"device_allocations", "command_buffers_recorded", "descriptor_sets_written"}) {
    EXPECT_EQ(after.at(name), before.at(name)) << name;
  }
}

TEST_F(FollowingRuns, TheSidesOfADiamondMayOverlap) {
  EXPECT_TRUE(submit(0, 1).done.wait());
  Gate::close();
  take_barriers();
  const Submission top = submit(0, 1);
  const Submission left = submit(1, 2, {top});
  const Submission right = submit(1, 3, {top});
  const Submission after_left = submit(2, 4, {left});
  EXPECT_EQ(take_barriers(), (std::vector<bool>{true, true, false, true}));
  Gate::open();
  for (const Submission& submission : {top, left, right, after_left}) EXPECT_TRUE(submission.done.wait());
  EXPECT_EQ(value(4), 3.0F);
}

TEST_F(FollowingRuns, WhatIsBehindWorkThatWaitsComesAfterItWhateverThePriorities) {
  const auto low = prepare(kLow);
  ASSERT_TRUE(low);
  Gate::close();
  std::vector<Inference> others(3, Inference(kShape, 1));
  std::vector<Submission> ahead;
  for (Inference& other : others) ahead.push_back(*other.submit(*low));  // the third waits here
  g_submissions = 0;
  const Submission next = submit(0, 1, {ahead.back()});
  EXPECT_EQ(g_submissions, 0);
  Gate::open();
  EXPECT_TRUE(next.done.wait());
  for (const Submission& other : ahead) EXPECT_EQ(other.done.state(), Fence::State::kSignalled);
}

TEST_F(FollowingRuns, WhatIsBehindAnExecutionThatNeverRanDoesNotRunEither) {
  const auto low = prepare(kLow);
  ASSERT_TRUE(low);
  Gate::close();
  std::vector<Inference> others(3, Inference(kShape, 1));
  others[2].request.deadline = Clock::now() + std::chrono::milliseconds(50);
  std::vector<Submission> ahead;
  for (Inference& other : others) ahead.push_back(*other.submit(*low));
  const Submission next = submit(0, 1, {ahead.back()});
  std::this_thread::sleep_until(*others[2].request.deadline);
  Gate::open();
  EXPECT_EQ(code_of(next.done.wait()), Code::kMissedDeadlinePersistent);
  for (const Submission& other : ahead) (void)other.done.wait();  // they write the buffers of this test
  EXPECT_NE(value(1), 1.0F);
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
  ASSERT_TRUE(plan);  // the failure leaves no trace
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
