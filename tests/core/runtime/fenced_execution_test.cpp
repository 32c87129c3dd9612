// Fenced executions over fake devices: foreign and own fences as dependencies, sync fences handed out, time.
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <thread>

#include "tests/core/runtime/runtime_fixture.h"
#include "tests/support/process_usage.h"
#include "tests/support/sanitizer_limits.h"

namespace nnvk::test {
namespace {

const std::array<float, 2> kExpected{2.0F, 3.0F};
const std::array<float, 2> kUntouched{};

int answer(int fd) {
  pollfd entry{fd, POLLIN, 0};
  return ::poll(&entry, 1, 0) > 0 ? entry.revents : 0;
}

class FencedExecutionTest : public RuntimeTest {
 protected:
  FencedExecutionTest() : compilation_(model_, runtime_, {gpu_}), on_cpu_(model_, runtime_, {cpu_}) {
    EXPECT_TRUE(compilation_.finish());
    EXPECT_TRUE(on_cpu_.finish());
  }
  ~FencedExecutionTest() override {
    if (event_fd_ >= 0) ::close(event_fd_);
  }

  // An event of a descriptor that signal() signals.
  std::unique_ptr<Event> foreign() {
    event_fd_ = ::eventfd(0, EFD_CLOEXEC);
    return *Event::from_sync_fence(event_fd_);
  }
  void signal() const { ::eventfd_write(event_fd_, 1); }

  // An event that has failed already.
  static std::unique_ptr<Event> broken() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    auto event = Event::from_sync_fence(ends[0]);
    for (const int end : ends) ::close(end);
    return std::move(*event);
  }

  static Result<std::unique_ptr<Event>> start(Execution& execution, const Event& dependency, uint64_t nanoseconds = 0) {
    const Event* list = &dependency;
    return execution.start_with_dependencies({&list, 1}, nanoseconds);
  }

  Compilation compilation_;
  Compilation on_cpu_;
  int event_fd_ = -1;
};

TEST_F(FencedExecutionTest, TheStartingThreadDoesNotWaitForAForeignFence) {
  for (const Compilation* compilation : {&compilation_, &on_cpu_}) {
    output_ = kUntouched;
    const auto dependency = foreign();
    auto execution = bound(*compilation);
    auto event = value_of(start(*execution, *dependency));  // the fence is not signalled
    if (kPollOrdersMemory) {
      EXPECT_EQ(output_, kUntouched);
    }
    signal();
    EXPECT_TRUE(event->wait());
    EXPECT_EQ(output_, kExpected);
    ::close(std::exchange(event_fd_, -1));
  }
}

TEST_F(FencedExecutionTest, AForeignFenceOutlivesItsEventAsADependency) {
  auto dependency = foreign();
  auto execution = bound(compilation_);
  auto event = start(*execution, *dependency);
  dependency.reset();
  signal();
  EXPECT_TRUE((*event)->wait());
}

TEST_F(FencedExecutionTest, AFailedForeignFenceFailsTheExecutionWithoutRunningIt) {
  const auto dependency = broken();
  auto on_gpu = bound(compilation_);
  const auto event = value_of(start(*on_gpu, *dependency));
  EXPECT_EQ(code_of(event->wait()), Code::kOpFailed);
  EXPECT_EQ(on_gpu->summary().state, Execution::State::kCompleted);
  auto on_cpu = bound(on_cpu_);
  EXPECT_EQ(code_of(start(*on_cpu, *dependency)), Code::kOpFailed);
  EXPECT_EQ(on_cpu->summary().state, Execution::State::kCompleted);
  EXPECT_EQ(output_, kUntouched);
}

TEST_F(FencedExecutionTest, ALongChainFailsAsAWholeWithItsFirstCause) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const auto dependency = *Event::from_sync_fence(ends[0]);
  ::close(ends[0]);
  std::vector<std::shared_ptr<Execution>> executions;
  std::vector<std::unique_ptr<Event>> events;
  for (int i = 0; i < 20'000; ++i) {
    executions.push_back(bound(i % 2 == 0 ? compilation_ : on_cpu_));
    events.push_back(value_of(start(*executions.back(), events.empty() ? *dependency : *events.back())));
  }
  ::close(ends[1]);
  const Status last = events.back()->wait();
  EXPECT_EQ(code_of(last), Code::kOpFailed);
  EXPECT_LT(last.error().text().size(), 200U);
  EXPECT_EQ(gpu_->last_plan->submissions, 0U);
  EXPECT_EQ(output_, kUntouched);
}

TEST_F(FencedExecutionTest, ASyncFenceIsSignalledWithTheOutputs) {
  gpu_->behaviour.hold = true;
  auto execution = bound(compilation_);
  auto event = value_of(execution->start_with_dependencies({}, 0));
  const auto fd = value_of(event->duplicate_descriptor());
  EXPECT_EQ(answer(fd), 0);
  gpu_->last_plan->release();
  EXPECT_EQ(answer(fd), POLLIN | POLLHUP);
  EXPECT_EQ(output_, kExpected);
  EXPECT_EQ(execution->summary().state, Execution::State::kComputation);  // the event was not waited for
  event.reset();
  EXPECT_EQ(answer(fd), POLLIN | POLLHUP);
  ::close(fd);
}

TEST_F(FencedExecutionTest, ASyncFenceTakenLateIsSettledAtOnce) {
  gpu_->behaviour.execution_result = fail(Code::kOpFailed, "the test wants this");
  auto execution = bound(compilation_);
  auto event = execution->start_with_dependencies({}, 0);
  EXPECT_FALSE((*event)->wait());
  const auto fd = value_of((*event)->duplicate_descriptor());
  EXPECT_NE(answer(fd) & POLLERR, 0);
  ::close(fd);
}

TEST_F(FencedExecutionTest, SyncFencesHaveSettledWhenTheWaitReturns) {
  for (int i = 0; i < 200; ++i) {
    const auto dependency = foreign();
    auto execution = bound(compilation_);
    auto event = start(*execution, *dependency);
    const auto fd = (*event)->duplicate_descriptor();
    signal();
    EXPECT_TRUE((*event)->wait());
    EXPECT_NE(answer(*fd) & POLLIN, 0);
    ::close(*fd);
    ::close(std::exchange(event_fd_, -1));
  }
}

TEST_F(FencedExecutionTest, OnlyEventsOfFencedComputationsOffTheCpuOfferASyncFence) {
  auto on_cpu = bound(on_cpu_);
  auto event = on_cpu->start_with_dependencies({}, 0);
  EXPECT_EQ(code_of((*event)->duplicate_descriptor()), Code::kBadData);
  auto plain = bound(compilation_);
  EXPECT_EQ(code_of((*plain->start_compute())->duplicate_descriptor()), Code::kBadData);
}

TEST_F(FencedExecutionTest, SyncFencesChainAcrossTheApiLikeEvents) {
  gpu_->behaviour.hold = true;
  std::array<float, 2> second_output{};
  auto first = bound(compilation_);
  auto second = Execution::create(on_cpu_);
  ASSERT_TRUE(second->set(true, 0, {.data = output_.data(), .length = sizeof output_}));
  ASSERT_TRUE(second->set(false, 0, {.data = second_output.data(), .length = sizeof second_output}));
  auto first_event = first->start_with_dependencies({}, 0);
  const int fd = *(*first_event)->duplicate_descriptor();
  const auto dependency = *Event::from_sync_fence(fd);
  ::close(fd);
  auto second_event = value_of(start(*second, *dependency));
  gpu_->last_plan->release();
  EXPECT_TRUE(second_event->wait());
  EXPECT_EQ(second_output, (std::array<float, 2>{3.0F, 4.0F}));
}

TEST_F(FencedExecutionTest, TheDurationCountsFromTheForeignFence) {
  const auto dependency = foreign();
  auto execution = bound(compilation_);
  auto event = value_of(start(*execution, *dependency, 60'000'000'000));
  const auto signalled = std::chrono::steady_clock::now();
  signal();
  EXPECT_TRUE(event->wait());
  ASSERT_TRUE(gpu_->last_plan->last_deadline);
  EXPECT_GE(*gpu_->last_plan->last_deadline, signalled + std::chrono::seconds(60));
}

TEST_F(FencedExecutionTest, TheTimeoutCountsFromTheCall) {
  const auto dependency = foreign();
  auto execution = bound(compilation_);
  ASSERT_TRUE(execution->set_timeout(60'000'000'000));
  auto event = start(*execution, *dependency, 61'000'000'000);
  const auto called = std::chrono::steady_clock::now();
  signal();
  EXPECT_TRUE((*event)->wait());
  EXPECT_LE(*gpu_->last_plan->last_deadline, called + std::chrono::seconds(60));
}

TEST_F(FencedExecutionTest, ATimeoutEndsTheWaitForADependencyThatNeverSignals) {
  for (const Compilation* compilation : {&compilation_, &on_cpu_}) {
    FakeDevice* device = compilation == &compilation_ ? gpu_ : cpu_;
    const auto dependency = foreign();
    auto execution = bound(*compilation);
    ASSERT_TRUE(execution->set_timeout(2'000'000));
    auto event = value_of(start(*execution, *dependency, 60'000'000'000));
    const auto fd = event->duplicate_descriptor();
    EXPECT_EQ(code_of(event->wait()), Code::kMissedDeadlinePersistent);
    EXPECT_EQ(execution->summary().state, Execution::State::kCompleted);
    if (fd) {
      EXPECT_NE(answer(*fd) & POLLERR, 0);
      ::close(*fd);
    }
    signal();  // too late
    ASSERT_TRUE(dependency->dependency(runtime_.reactor())->fence.wait());
    EXPECT_EQ(device->last_plan->submissions, 0U);
    EXPECT_EQ(output_, kUntouched);
    ::close(std::exchange(event_fd_, -1));
  }
}

TEST_F(FencedExecutionTest, ATimeoutEndsTheWaitForAnExecutionThatDoesNotFinish) {
  gpu_->behaviour.hold = true;
  auto first = bound(compilation_);
  auto first_event = first->start_with_dependencies({}, 0);
  auto second = bound(on_cpu_);
  ASSERT_TRUE(second->set_timeout(2'000'000));
  auto second_event = start(*second, **first_event);
  EXPECT_EQ(code_of((*second_event)->wait()), Code::kMissedDeadlinePersistent);
  second_event->reset();
  second.reset();  // freed before its dependency signals
  gpu_->last_plan->release();
  EXPECT_TRUE((*first_event)->wait());
  EXPECT_EQ(cpu_->last_plan->submissions, 0U);
}

TEST_F(FencedExecutionTest, AFailedDependencyDoesNotWaitForTheOthers) {
  const auto never = foreign();
  const auto failed = broken();
  const std::array<const Event*, 2> dependencies{never.get(), failed.get()};
  auto execution = bound(compilation_);
  auto event = value_of(execution->start_with_dependencies(dependencies, 0));
  EXPECT_EQ(code_of(event->wait()), Code::kOpFailed);
  EXPECT_EQ(gpu_->last_plan->submissions, 0U);
}

TEST_F(FencedExecutionTest, ExecutionsThatTimeOutLeaveNothingBehind) {
  const auto one_round = [this] {
    const auto dependency = foreign();  // never signals; the descriptors of this round close all the same
    auto execution = bound(compilation_);
    ASSERT_TRUE(execution->set_timeout(1));
    auto event = value_of(start(*execution, *dependency));
    ::close(*event->duplicate_descriptor());
    EXPECT_EQ(code_of(event->wait()), Code::kMissedDeadlinePersistent);
    ::close(std::exchange(event_fd_, -1));
  };
  one_round();  // starts the thread
  const size_t before = open_descriptors();
  for (int i = 0; i < 500; ++i) one_round();
  // The thread may still hold the last descriptor.
  for (int i = 0; i < 100'000 && open_descriptors() > before; ++i) std::this_thread::yield();
  EXPECT_LE(open_descriptors(), before);
  auto execution = bound(compilation_);
  EXPECT_TRUE((*execution->start_with_dependencies({}, 0))->wait());
  EXPECT_EQ(output_, kExpected);
}

TEST_F(FencedExecutionTest, FencedDurationsLeaveTheWaitingOut) {
  const auto dependency = foreign();
  auto execution = bound(compilation_);
  ASSERT_TRUE(execution->set_measure_timing(true));
  auto event = start(*execution, *dependency);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  signal();
  EXPECT_TRUE((*event)->wait());
  uint64_t value = 0;
  EXPECT_TRUE(execution->duration(DurationKind::kFencedInDriver, &value));
  EXPECT_EQ(value, 2000U);
  EXPECT_TRUE(execution->duration(DurationKind::kFencedOnHardware, &value));
  EXPECT_EQ(value, 1000U);
  EXPECT_TRUE(execution->duration(DurationKind::kOnHardware, &value));
  EXPECT_EQ(value, 1000U);
  EXPECT_TRUE(execution->duration(DurationKind::kInDriver, &value));
  EXPECT_GE(value, 2'002'000U);
}

TEST_F(FencedExecutionTest, ACompilationWaitsForExecutionsThatWaitForFences) {
  const auto dependency = foreign();
  auto compilation = std::make_unique<Compilation>(model_, runtime_, std::vector<Device*>{gpu_});
  ASSERT_TRUE(compilation->finish());
  auto execution = bound(*compilation);
  auto event = start(*execution, *dependency);
  std::thread signaller([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    signal();
  });
  compilation.reset();
  EXPECT_TRUE((*event)->wait());
  EXPECT_EQ(output_, kExpected);
  signaller.join();
}

TEST_F(FencedExecutionTest, ThousandsLeaveNoDescriptorOpen) {
  const auto one_round = [this] {
    const auto dependency = foreign();
    auto execution = bound(compilation_);
    auto event = start(*execution, *dependency);
    ::close(*(*event)->duplicate_descriptor());
    signal();
    EXPECT_TRUE((*event)->wait());
    ::close(std::exchange(event_fd_, -1));
  };
  one_round();  // starts the thread
  const size_t before = open_descriptors();
  for (int i = 0; i < 2000; ++i) one_round();
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace nnvk::test
