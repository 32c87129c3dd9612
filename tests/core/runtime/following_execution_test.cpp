// Fenced executions queued behind others on a fake device: errors, launches by the host, kernel fences.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "core/runtime/sync_file.h"
#include "tests/core/runtime/runtime_fixture.h"

namespace nnvk::test {
namespace {

class FollowingExecutionTest : public RuntimeTest {
 protected:
  FollowingExecutionTest() : compilation_(model_, runtime_, {gpu_}), on_cpu_(model_, runtime_, {cpu_}) {
    gpu_->behaviour.queues = true;
    gpu_->behaviour.at_once = false;
    gpu_->behaviour.hold = true;
  }

  std::unique_ptr<Event> start(const Compilation& compilation, std::vector<const Event*> dependencies, uint64_t duration = 0) {
    executions_.push_back(bound(compilation));
    return value_of(executions_.back()->start_with_dependencies(dependencies, duration));
  }
  uint64_t queued_behind() const { return compilation_.shared().queued_behind; }
  uint64_t through_host(const Compilation& compilation) const { return compilation.shared().through_host.total(); }
  // Releases executions that the device holds back, until none remains.
  void release_all() {
    gpu_->behaviour.hold = false;
    gpu_->last_plan->release();
  }

  Finished compilation_;
  Finished on_cpu_;
  std::vector<std::shared_ptr<Execution>> executions_;
};

TEST_F(FollowingExecutionTest, AreSubmittedWhenTheyAreStarted) {
  const auto first = start(compilation_, {});
  const auto second = start(compilation_, {first.get()});
  const auto third = start(compilation_, {first.get(), second.get()});
  EXPECT_EQ(gpu_->last_plan->submissions, 3U);
  EXPECT_EQ(queued_behind(), 2U);
  EXPECT_EQ(through_host(compilation_), 0U);
  release_all();
  for (const auto* event : {&first, &second, &third}) EXPECT_TRUE((*event)->wait());
}

TEST_F(FollowingExecutionTest, ReportTheFailureOfWhatTheyFollow) {
  gpu_->behaviour.execution_result = {[](int number) { return number == 1; }, wanted_failure(Code::kResourceExhaustedTransient)};
  std::vector<std::unique_ptr<Event>> events;
  events.push_back(start(compilation_, {}));
  for (int i = 1; i < 5; ++i) events.push_back(start(compilation_, {events.back().get()}));
  release_all();
  EXPECT_TRUE(events[0]->wait());
  EXPECT_EQ(code_of(events[1]->wait()), Code::kResourceExhaustedTransient);
  for (int i = 2; i < 5; ++i) {
    const Status result = events[static_cast<size_t>(i)]->wait();
    ASSERT_EQ(code_of(result), Code::kOpFailed);
    EXPECT_TRUE(result.error().is_of_dependency);
  }
}

TEST_F(FollowingExecutionTest, AreFreedWithTheirEventsInAnyOrder) {
  auto first = start(compilation_, {});
  auto second = start(compilation_, {first.get()});
  auto third = start(compilation_, {second.get()});
  executions_.clear();
  release_all();
  second.reset();
  third.reset();
  first.reset();
  EXPECT_EQ(gpu_->last_plan->submissions, 3U);
}

TEST_F(FollowingExecutionTest, OnAnotherDeviceGoThroughTheHost) {
  const auto first = start(compilation_, {});
  const auto elsewhere = start(on_cpu_, {first.get()});
  release_all();
  EXPECT_TRUE(elsewhere->wait());
  EXPECT_EQ(on_cpu_.shared().through_host.count(static_cast<size_t>(HostReason::kNeedsHost)), 1U);
  EXPECT_EQ(on_cpu_.shared().queued_behind, 0U);
  EXPECT_TRUE(first->wait());
}

TEST_F(FollowingExecutionTest, ADeviceThatKeepsNoOrderGetsThemWhenTheHostSaysSo) {
  gpu_->behaviour.queues = false;
  const auto first = start(compilation_, {});
  const auto second = start(compilation_, {first.get()});
  EXPECT_EQ(gpu_->last_plan->submissions, 1U);
  release_all();
  EXPECT_TRUE(second->wait());
  EXPECT_EQ(through_host(compilation_), 1U);
  EXPECT_TRUE(first->wait());
}

// A gate: an eventfd that a client signals. The device cannot wait for it.
class GatedExecutionTest : public FollowingExecutionTest {
 protected:
  ~GatedExecutionTest() override { ::close(fd_); }
  void open() const { ::eventfd_write(fd_, 1); }
  // Starts executions that follow one another, the first of them behind the gate.
  std::vector<std::unique_ptr<Event>> start_chain(size_t links) {
    std::vector<std::unique_ptr<Event>> events;
    for (size_t i = 0; i < links; ++i) events.push_back(start(compilation_, {i == 0 ? gate_.get() : events.back().get()}));
    return events;
  }
  void wait_for_submissions(uint64_t wanted) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (gpu_->last_plan->submissions < wanted && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
    EXPECT_EQ(gpu_->last_plan->submissions, wanted);
  }

  const int fd_ = ::eventfd(0, EFD_CLOEXEC);
  const std::unique_ptr<Event> gate_ = value_of(Event::from_sync_fence(fd_));
};

TEST_F(GatedExecutionTest, AllFollowersAreSubmittedWithTheFirst) {
  const auto events = start_chain(40);
  EXPECT_EQ(gpu_->last_plan->submissions, 0U);
  open();
  wait_for_submissions(40);  // the device holds back all of them: none has ended
  release_all();
  for (const auto& event : events) EXPECT_TRUE(event->wait());
  EXPECT_EQ(queued_behind(), 39U);
  EXPECT_EQ(through_host(compilation_), 1U);
  EXPECT_EQ(compilation_.shared().through_host.count(static_cast<size_t>(HostReason::kForeignFence)), 1U);
}

TEST_F(GatedExecutionTest, AVeryLongChainNeedsNoDeepStack) {
  const auto events = start_chain(5000);
  open();
  wait_for_submissions(5000);
  release_all();
  EXPECT_TRUE(events.back()->wait());
}

TEST_F(GatedExecutionTest, AFollowerOfTwoGatedChainsIsSubmittedWithTheLaterOne) {
  const int other_fd = ::eventfd(0, EFD_CLOEXEC);
  const auto other_gate = value_of(Event::from_sync_fence(other_fd));
  const auto one = start(compilation_, {gate_.get()});
  const auto other = start(compilation_, {other_gate.get()});
  const auto both = start(compilation_, {one.get(), other.get()});
  open();
  wait_for_submissions(1);
  ::eventfd_write(other_fd, 1);
  wait_for_submissions(3);
  release_all();
  EXPECT_TRUE(both->wait());
  EXPECT_EQ(queued_behind(), 1U);
  EXPECT_TRUE(one->wait());
  EXPECT_TRUE(other->wait());
  ::close(other_fd);
}

TEST_F(GatedExecutionTest, FollowersThatTheDeviceCannotQueueGoThroughTheHost) {
  gpu_->behaviour.queues = false;
  const auto events = start_chain(3);
  open();
  wait_for_submissions(1);
  gpu_->behaviour.hold = false;
  gpu_->last_plan->release();
  for (const auto& event : events) EXPECT_TRUE(event->wait());
  EXPECT_EQ(queued_behind(), 0U);
  EXPECT_EQ(through_host(compilation_), 3U);
}

TEST_F(GatedExecutionTest, AFailureOfTheFirstEndsAllOthers) {
  gpu_->behaviour.submit_result = {[](int number) { return number == 0; }, wanted_failure(Code::kResourceExhaustedTransient)};
  const auto events = start_chain(4);
  open();
  EXPECT_FALSE(events[0]->wait());
  for (size_t i = 1; i < 4; ++i) {
    const Status result = events[i]->wait();
    ASSERT_FALSE(result);
    EXPECT_TRUE(result.error().is_of_dependency);
  }
}

TEST_F(GatedExecutionTest, ATimeoutEndsAFollowerWhoseGateStaysClosed) {
  const auto first = start(compilation_, {gate_.get()});
  executions_.push_back(bound(compilation_));
  ASSERT_TRUE(executions_.back()->set_timeout(20'000'000));
  const Event* const before[] = {first.get()};
  const auto second = value_of(executions_.back()->start_with_dependencies(before, 0));
  EXPECT_EQ(code_of(second->wait()), Code::kMissedDeadlinePersistent);
  EXPECT_EQ(gpu_->last_plan->submissions, 0U);
  open();
  wait_for_submissions(1);
  release_all();
  EXPECT_TRUE(first->wait());
}

TEST_F(GatedExecutionTest, ACompilationIsFreedAfterItsGatedChain) {
  auto compilation = std::make_unique<Finished>(model_, runtime_, std::vector<Device*>{gpu_});
  gpu_->behaviour.hold = false;
  std::vector<std::unique_ptr<Event>> events;
  for (int i = 0; i < 20; ++i) events.push_back(start(*compilation, {i == 0 ? gate_.get() : events.back().get()}));
  executions_.clear();
  std::thread opener([&] { open(); });
  for (auto& event : events) EXPECT_TRUE(event->wait());
  events.clear();
  compilation.reset();
  opener.join();
}

TEST_F(FollowingExecutionTest, WithAForeignDependencyAsWellGoThroughTheHost) {
  const int fd = ::eventfd(0, EFD_CLOEXEC);
  const auto foreign = *Event::from_sync_fence(fd);
  const auto first = start(compilation_, {});
  const auto second = start(compilation_, {first.get(), foreign.get()});
  EXPECT_EQ(gpu_->last_plan->submissions, 1U);
  ::eventfd_write(fd, 1);
  release_all();
  EXPECT_TRUE(second->wait());
  EXPECT_TRUE(first->wait());
  ::close(fd);
}

TEST_F(FollowingExecutionTest, ADependencyThatIsNotFencedGoesThroughTheHost) {
  executions_.push_back(bound(compilation_));
  const auto first = value_of(executions_.back()->start_compute());
  const auto second = start(compilation_, {first.get()});
  release_all();
  EXPECT_TRUE(second->wait());
  EXPECT_EQ(through_host(compilation_), 1U);
  EXPECT_TRUE(first->wait());
}

TEST_F(FollowingExecutionTest, ADurationIsTheDevicesToKeep) {
  const auto first = start(compilation_, {});
  const auto second = start(compilation_, {first.get()}, 3'600'000'000'000);
  EXPECT_EQ(queued_behind(), 1U);
  release_all();
  EXPECT_TRUE(second->wait());
  EXPECT_TRUE(first->wait());
}

TEST_F(FollowingExecutionTest, AFailureToQueueIsTriedAgainLater) {
  gpu_->behaviour.submit_result = {[](int number) { return number == 1; }, wanted_failure()};
  const auto first = start(compilation_, {});
  const auto second = start(compilation_, {first.get()});
  release_all();
  EXPECT_TRUE(second->wait());
  EXPECT_EQ(through_host(compilation_), 1U);
  EXPECT_TRUE(first->wait());
}

// The kernel's fence of the fake device is a descriptor that the test signals.
TEST_F(FollowingExecutionTest, ASyncFenceIsTheKernelsWhereTheDeviceHasOne) {
  const int kernel = ::eventfd(0, EFD_CLOEXEC);
  gpu_->behaviour.sync_file = kernel;
  const auto event = start(compilation_, {});
  const int first = value_of(event->duplicate_descriptor());
  const int second = value_of(event->duplicate_descriptor());
  release_all();
  EXPECT_TRUE(event->wait());
  pollfd entries[] = {{first, POLLIN, 0}, {second, POLLIN, 0}};
  EXPECT_EQ(::poll(entries, 2, 0), 0) << "the library has no say in it";
  ::eventfd_write(kernel, 1);
  EXPECT_EQ(::poll(entries, 2, 0), 2);
  for (const int fd : {first, second, kernel}) ::close(fd);
}

TEST_F(FollowingExecutionTest, AKernelFenceThatIsSignalledAlreadyIsADescriptorThatIs) {
  gpu_->behaviour.sync_file = -1;
  const auto event = start(compilation_, {});
  const int fd = value_of(event->duplicate_descriptor());
  pollfd entry{fd, POLLIN, 0};
  EXPECT_EQ(::poll(&entry, 1, 0), 1);
  EXPECT_EQ(entry.revents & POLLERR, 0);
  ::close(fd);
  release_all();
  EXPECT_TRUE(event->wait());
}

}  // namespace
}  // namespace nnvk::test
