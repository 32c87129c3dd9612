// Fenced executions through the C API, on every device: chains, foreign sync fences, failures, sync fences handed out.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "tests/api/api_objects.h"
#include "tests/support/process_usage.h"
#include "tests/support/sanitizer_limits.h"

namespace nnvk::test {
namespace {

// The events that poll() reports within `milliseconds`; 0: none.
int answer(int fd, int milliseconds = 60'000) {
  pollfd entry{fd, POLLIN, 0};
  return ::poll(&entry, 1, milliseconds) > 0 ? entry.revents : 0;
}

// A pipe as a foreign fence: writing a byte signals it. Closing the writing end without a byte makes it fail.
class Gate {
 public:
  Gate() {
    EXPECT_EQ(::pipe2(ends_, O_CLOEXEC), 0);
    event_ = event_of_fence(ends_[0]);
    ::close(ends_[0]);
  }
  ~Gate() { abandon(); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  const ANeuralNetworksEvent* event() const { return event_.get(); }
  void signal() const { EXPECT_EQ(::write(ends_[1], "x", 1), 1); }
  void abandon() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2];
  EventPointer event_;
};

// `length` additions of one to eight floats, each after the one before, over two compilations; the first after `gate`.
class Chain {
 public:
  Chain(const ANeuralNetworksDevice* device, size_t length)
      : model_(make_add({8})),
        first_(compiled_on(model_.get(), device)),
        second_(compiled_on(model_.get(), device)),
        values_(length + 1) {
    one_.fill(1.0F);
  }

  void start(const ANeuralNetworksEvent* gate) {
    for (size_t i = 0; i + 1 < values_.size(); ++i) {
      executions_.push_back(make_execution(i % 2 == 0 ? first_ : second_, {values_[i], one_}, {values_[i + 1]}));
      events_.push_back(start_fenced(executions_.back(), events_.empty() ? gate : events_.back().get()));
    }
  }

  const std::vector<EventPointer>& events() const { return events_; }
  float value(size_t i) const { return values_[i][7]; }

 private:
  ModelBuilder model_;
  CompilationPointer first_;
  CompilationPointer second_;
  std::array<float, 8> one_{};
  std::vector<std::array<float, 8>> values_;
  std::vector<ExecutionPointer> executions_;
  std::vector<EventPointer> events_;  // destroyed first
};

// A new sync fence of the event; -1 when it has none.
int descriptor_of(const EventPointer& event) {
  int fd = -1;
  ANeuralNetworksEvent_getSyncFenceFd(event.get(), &fd);
  return fd;
}

// During its lifetime the process cannot open any descriptor.
class NoDescriptorLeft {
 public:
  NoDescriptorLeft() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit none{0, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptorLeft() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }
  NoDescriptorLeft(const NoDescriptorLeft&) = delete;
  NoDescriptorLeft& operator=(const NoDescriptorLeft&) = delete;

 private:
  rlimit before_{};
};

TEST(Fences, AChainOfAHundredOverTwoCompilationsIsSubmittedInOneGoAndRunsInOrder) {
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const Gate gate;
    Chain chain(device, 100);
    chain.start(gate.event());  // returns although nothing can run yet
    ASSERT_EQ(chain.events().size(), 100U);
    if (kPollOrdersMemory) {
      EXPECT_EQ(chain.value(1), 0.0F);
    }
    gate.signal();
    EXPECT_EQ(wait(chain.events().back()), kOk);
    for (size_t i = 0; i <= 100; ++i) EXPECT_EQ(chain.value(i), static_cast<float>(i));
  }
}

TEST(Fences, AFailedDependencyFailsTheWholeChainWithoutRunningIt) {
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    Gate gate;
    Chain chain(device, 100);
    chain.start(gate.event());
    gate.abandon();
    for (const EventPointer& event : chain.events()) EXPECT_EQ(ANeuralNetworksEvent_wait(event.get()), kFailed);
    for (size_t i = 0; i <= 100; ++i) EXPECT_EQ(chain.value(i), 0.0F);
  }
}

TEST(Fences, AKilledProducerFailsItsDependants) {
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t producer = ::fork();
    if (producer == 0) {
      for (;;) ::pause();
    }
    ::close(ends[1]);
    const EventPointer dependency = event_of_fence(ends[0]);
    ::close(ends[0]);
    Chain chain(device, 2);
    chain.start(dependency.get());
    EXPECT_EQ(::kill(producer, SIGKILL), 0);
    EXPECT_EQ(wait(chain.events().back()), kFailed);
    EXPECT_EQ(ANeuralNetworksEvent_wait(dependency.get()), kFailed);
    EXPECT_EQ(chain.value(2), 0.0F);
    EXPECT_EQ(::waitpid(producer, nullptr, 0), producer);
  }
}

TEST(Fences, TheSyncFenceOfAnEventTellsThreadsAndProcesses) {
  for (const ANeuralNetworksDevice* device : gpus()) {
    for (const bool success : {true, false}) {
      SCOPED_TRACE(name_of(device) + (success ? ": success" : ": failure"));
      Gate gate;
      Chain chain(device, 3);
      chain.start(gate.event());
      const int fd = descriptor_of(chain.events().back());
      ASSERT_GE(fd, 3);
      EXPECT_EQ(::fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
      EXPECT_EQ(answer(fd, 0), 0);
      const pid_t child = ::fork();
      if (child == 0) {
        gate.abandon();
        ::_exit(answer(fd));
      }
      int in_thread = 0;
      std::thread thread([&] { in_thread = answer(fd); });
      if (success) gate.signal();
      gate.abandon();
      thread.join();
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      for (const int events : {in_thread, WEXITSTATUS(status), answer(fd)}) {
        EXPECT_NE(events & POLLIN, 0);
        EXPECT_EQ((events & POLLERR) != 0, !success);
      }
      if (kPollOrdersMemory) {
        EXPECT_EQ(chain.value(3), success ? 3.0F : 0.0F);  // the fence settles after the outputs are written
      }
      ::close(fd);
    }
  }
}

TEST(Fences, ASyncFenceOutlivesItsEventAndFreeingTheEventSettlesIt) {
  for (const ANeuralNetworksDevice* device : gpus()) {
    SCOPED_TRACE(name_of(device));
    const Gate gate;
    int fd = -1;
    {
      Chain chain(device, 3);
      chain.start(gate.event());
      fd = descriptor_of(chain.events().back());
      gate.signal();
    }
    EXPECT_EQ(answer(fd, 0) & (POLLIN | POLLERR), POLLIN);
    const EventPointer wrapped = event_of_fence(fd);
    ::close(fd);
    EXPECT_EQ(ANeuralNetworksEvent_wait(wrapped.get()), kOk);
  }
}

TEST(Fences, AnEventWhoseSyncFenceCannotBeDuplicatedSaysBadData) {
  for (const ANeuralNetworksDevice* device : gpus()) {
    SCOPED_TRACE(name_of(device));
    const Gate gate;
    Chain chain(device, 1);
    chain.start(gate.event());
    for (const ANeuralNetworksEvent* event : {gate.event(), static_cast<const ANeuralNetworksEvent*>(chain.events()[0].get())}) {
      int fd = 5;
      {
        const NoDescriptorLeft none;
        EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(event, &fd), ANEURALNETWORKS_BAD_DATA);
        EXPECT_EQ(fd, -1);
      }
      EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(event, &fd), kOk);
      ::close(fd);
    }
    gate.signal();
  }
}

// nnapi-reference computes within the call, which then returns the computation's errors (docs/nnapi/execution.md#modes).
TEST(Fences, OnTheCpuAComputationThatNeedNotWaitFailsInTheCall) {
  const Compiled add(make_add({2}, 999), cpu_device());
  const std::array<float, 2> in{};
  std::array<float, 2> out{};
  for (const bool pending : {false, true}) {
    const ExecutionPointer e = make_execution(add.compilation, {in, in}, {out});
    const Gate gate;
    if (!pending) gate.signal();
    const ANeuralNetworksEvent* dependency = gate.event();
    ANeuralNetworksEvent* event = nullptr;
    const int started = ANeuralNetworksExecution_startComputeWithDependencies(e.get(), &dependency, 1, 0, &event);
    EXPECT_EQ(started, pending ? kOk : kFailed);
    EXPECT_EQ(event == nullptr, !pending);
    if (pending) gate.signal();
    EXPECT_EQ(pending ? ANeuralNetworksEvent_wait(event) : started, kFailed);
    ANeuralNetworksEvent_free(event);
    EXPECT_EQ(ANeuralNetworksExecution_compute(e.get()), ANEURALNETWORKS_BAD_STATE);  // used up
  }
}

TEST(Fences, SyncFencesConnectExecutionsOfDifferentDevices) {
  for (const ANeuralNetworksDevice* producer : gpus()) {
    for (const ANeuralNetworksDevice* consumer : devices()) {
      const Gate gate;
      Chain first(producer, 3);
      first.start(gate.event());
      const int fd = descriptor_of(first.events().back());
      const EventPointer between = event_of_fence(fd);
      ::close(fd);
      Chain second(consumer, 3);
      second.start(between.get());
      gate.signal();
      EXPECT_EQ(ANeuralNetworksEvent_wait(second.events().back().get()), kOk);
      if (kPollOrdersMemory) {
        EXPECT_EQ(first.value(3), 3.0F);
      }
      EXPECT_EQ(second.value(3), 3.0F);
    }
  }
}

TEST(Fences, ATimeoutEndsTheWaitForAFenceThatNeverSignals) {
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const ModelBuilder model = make_add({8});
    const CompilationPointer compilation = compiled_on(model.get(), device);
    std::array<float, 8> one{};
    one.fill(1.0F);
    std::array<float, 8> sum{};
    const auto round = [&] {
      const Gate gate;
      const ANeuralNetworksEvent* dependency = gate.event();
      std::vector<ExecutionPointer> executions;
      std::vector<EventPointer> events;
      for (int i = 0; i < 2; ++i) {  // the second depends on the first, and has no timeout of its own
        executions.push_back(make_execution(compilation, {one, one}, {sum}));
        EXPECT_EQ(ANeuralNetworksExecution_setTimeout(executions.back().get(), i == 0 ? 1'000'000 : 0), kOk);
        events.push_back(start_fenced(executions.back(), dependency));
        dependency = events.back().get();
      }
      const int fd = descriptor_of(events[0]);
      EXPECT_EQ(ANeuralNetworksEvent_wait(events[1].get()), kFailed);
      EXPECT_EQ(ANeuralNetworksEvent_wait(events[0].get()), ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT);
      if (fd >= 0) {
        EXPECT_NE(answer(fd, 0) & POLLERR, 0);
        ::close(fd);
      }
      gate.signal();  // too late
    };
    round();
    const size_t before = open_descriptors();
    for (int i = 0; i < 50; ++i) round();
    EXPECT_EQ(sum[0], 0.0F);
    // The watching thread may still hold the last fence.
    for (int i = 0; i < 100'000 && open_descriptors() != before; ++i) std::this_thread::yield();
    EXPECT_EQ(open_descriptors(), before);
    Chain chain(device, 4);
    const Gate open;
    chain.start(open.event());
    open.signal();
    EXPECT_EQ(wait(chain.events().back()), kOk);
    EXPECT_EQ(chain.value(4), 4.0F);
  }
}

TEST(Fences, DurationsAreKnownAfterTheEventAndFencedOnesAreNotLonger) {
  const ModelBuilder model = make_add({8});
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const CompilationPointer compilation = compiled_on(model.get(), device);
    std::array<float, 8> x{};
    const ExecutionPointer e = make_execution(compilation, {x, x}, {x});
    EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(e.get(), true), kOk);
    const Gate gate;
    const EventPointer event = start_fenced(e, gate.event());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    gate.signal();
    EXPECT_EQ(wait(event), kOk);
    std::array<uint64_t, 4> durations{};
    for (int32_t code = 0; code < 4; ++code) {
      EXPECT_EQ(ANeuralNetworksExecution_getDuration(e.get(), code, &durations[code]), kOk);
    }
    const auto [hardware, driver, fenced_hardware, fenced_driver] = durations;
    EXPECT_LE(fenced_driver, driver);
    EXPECT_LE(fenced_hardware, hardware);
    if (device == devices().back()) {
      EXPECT_EQ(driver, UINT64_MAX);
    } else {
      EXPECT_GE(driver, fenced_driver + 2'000'000);
      if (hardware != UINT64_MAX) {
        EXPECT_LE(hardware, driver);
      }
    }
  }
}

TEST(Fences, AThousandFencedExecutionsLeaveNoDescriptorOpen) {
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const auto round = [&](size_t length, bool success) {
      Gate gate;
      Chain chain(device, length);
      chain.start(gate.event());
      for (const EventPointer& event : chain.events()) {
        if (const int fd = descriptor_of(event); fd >= 0) ::close(fd);
      }
      success ? gate.signal() : gate.abandon();
    };
    round(10, true);
    const size_t before = open_descriptors();
    for (int i = 0; i < 10; ++i) round(100, i % 2 == 0);
    EXPECT_EQ(open_descriptors(), before);
  }
}

}  // namespace
}  // namespace nnvk::test
