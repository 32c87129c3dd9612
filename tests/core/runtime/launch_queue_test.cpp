// Executions that fences launch: on which threads, without delaying each other, and who gets the error if memory runs out.
#include "core/runtime/launch_queue.h"

#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <future>
#include <string>
#include <thread>

#include "tests/core/runtime/runtime_fixture.h"
#include "tests/support/child_process.h"
#include "tests/support/plan_fixture.h"
#include "tests/support/whole_plan.h"

namespace nnvk::test {
namespace {

std::string thread_name() {
  char name[16] = {};
  ::prctl(PR_GET_NAME, name);
  return name;
}

const std::string kLaunchThread = "nnvk launch";

// submit() runs `call` and then continues normally.
Answer after(std::function<void()> call) {
  return Answer(
      [call = std::move(call)](int) {
        call();
        return false;
      },
      wanted_failure());
}

TEST(LaunchQueue, LaunchesAtOnceAfterAFenceThatHasSettledAndElseOnAThreadOfItsOwn) {
  LaunchQueue launches;
  std::promise<std::string> name;
  const Launch launch{100,
                      [&]() -> Status {
                        name.set_value(thread_name());
                        return {};
                      },
                      [](const Error&) {}};
  launches.after(Fence::already_signalled(), launch);
  EXPECT_EQ(name.get_future().get(), thread_name());
  name = {};
  const Fence later = Fence::pending();
  launches.after(later, launch);
  later.fail({Code::kOpFailed, "a launch all the same"});
  EXPECT_EQ(name.get_future().get(), kLaunchThread);
}

TEST(LaunchQueue, SlowLaunchesDelayNoOther) {
  LaunchQueue launches;
  std::promise<void> gate;
  const std::shared_future<void> opened(gate.get_future());
  std::vector<Fence> slow;
  for (int i = 0; i < 3; ++i) {
    slow.push_back(Fence::pending());
    launches.prepare({110,
                      [opened, fence = slow.back()]() -> Status {
                        opened.wait();
                        fence.signal();
                        return {};
                      },
                      {}})();
  }
  for (int i = 0; i < 1000; ++i) {
    const Fence quick = Fence::pending();
    launches.prepare({90,
                      [quick]() -> Status {
                        quick.signal();
                        return {};
                      },
                      {}})();
    EXPECT_TRUE(quick.wait());
  }
  gate.set_value();
  EXPECT_TRUE(when_all(slow).wait());
}

TEST(LaunchQueue, ErrorsAndMemoryThatRunsOutAreTheLaunchsOwn) {
  LaunchQueue launches;
  const auto code_after = [&](std::function<Status()> start) {
    std::promise<Code> code;
    launches.prepare({100, std::move(start), [&](const Error& error) { code.set_value(error.code); }})();
    return code.get_future().get();
  };
  EXPECT_EQ(code_after([] { return Status(fail(Code::kDeadObject, "the test wants this")); }), Code::kDeadObject);
  EXPECT_EQ(code_after([]() -> Status { throw std::bad_alloc(); }), Code::kOutOfMemory);
}

TEST(LaunchQueue, ItsEndFinishesWhatWasPosted) {
  int launched = 0;
  {
    LaunchQueue launches;
    std::mutex mutex;
    for (int i = 0; i < 100; ++i) {
      launches.prepare({100,
                        [&]() -> Status {
                          const std::lock_guard lock(mutex);
                          ++launched;
                          return {};
                        },
                        {}})();
    }
  }
  EXPECT_EQ(launched, 100);
}

TEST(LaunchQueue, AChildOfForkLaunchesOnThreadsOfItsOwn) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer forbids threads in a child of fork";
#endif
  LaunchQueue launches;
  const auto launches_something = [&launches] {
    const Fence launched = Fence::pending();
    launches.prepare({100,
                      [launched]() -> Status {
                        launched.signal();
                        return {};
                      },
                      {}})();
    return launched.wait().has_value();
  };
  EXPECT_TRUE(launches_something());
  EXPECT_EQ(in_child([&] { ::_exit(launches_something() ? 0 : 1); }), 0);
  EXPECT_TRUE(launches_something());
}

// Executions that a foreign fence launches, on a fake GPU and a fake CPU.
class LaunchedExecution : public RuntimeTest {
 protected:
  LaunchedExecution() : on_gpu_(model_, runtime_, {gpu_}), on_cpu_(model_, runtime_, {cpu_}) {
    EXPECT_TRUE(on_gpu_.finish());
    EXPECT_TRUE(on_cpu_.finish());
  }
  ~LaunchedExecution() override { ::close(fd_); }

  // Starts an execution of `compilation` after the fence that signal() signals.
  std::unique_ptr<Event> start(Execution& execution) const {
    const auto gate = *Event::from_sync_fence(fd_);
    const Event* dependency = gate.get();
    auto event = execution.start_with_dependencies({&dependency, 1}, 0);
    EXPECT_TRUE(event);
    return std::move(*event);
  }
  void signal() const { ::eventfd_write(fd_, 1); }

  Compilation on_gpu_;
  Compilation on_cpu_;
  const int fd_ = ::eventfd(0, EFD_CLOEXEC);
};

TEST_F(LaunchedExecution, DelaysNoOtherFenceAndNoOtherExecutionHoweverLongItCompiles) {
  std::promise<void> compiled;
  gpu_->behaviour.submit_result = after([compiling = std::shared_future<void>(compiled.get_future())] { compiling.wait(); });
  auto slow = bound(on_gpu_);
  const auto slow_event = start(*slow);
  std::vector<std::shared_ptr<Execution>> others;
  std::vector<std::unique_ptr<Event>> events;
  for (int i = 0; i < 20; ++i) {
    others.push_back(Execution::create(on_cpu_));
    EXPECT_TRUE(others[i]->set(true, 0, {.data = input_.data(), .length = sizeof input_}));
    EXPECT_TRUE(others[i]->set(false, 0, {}));
    events.push_back(start(*others[i]));
  }
  signal();
  for (const auto& event : events) EXPECT_TRUE(event->wait());
  auto late = bound(on_cpu_);  // its fence is watched, and a deadline called, meanwhile
  const int never = ::eventfd(0, EFD_CLOEXEC);
  const auto gate = *Event::from_sync_fence(never);
  const Event* dependency = gate.get();
  ASSERT_TRUE(late->set_timeout(2'000'000));
  const auto late_event = late->start_with_dependencies({&dependency, 1}, 0);
  EXPECT_EQ(code_of((*late_event)->wait()), Code::kMissedDeadlinePersistent);
  ::close(never);
  EXPECT_EQ(slow->summary().state, Execution::State::kComputation);
  compiled.set_value();
  EXPECT_TRUE(slow_event->wait());
}

TEST_F(LaunchedExecution, ThatHasNoMemoryFailsAlone) {
  gpu_->behaviour.submit_result = after([] { throw std::bad_alloc(); });
  auto poor = bound(on_gpu_);
  auto other = bound(on_cpu_);
  const auto poor_event = start(*poor);
  const auto other_event = start(*other);
  signal();
  EXPECT_FALSE(poor_event->wait());
  EXPECT_TRUE(other_event->wait());
  EXPECT_EQ(code_of(poor->summary().result), Code::kOutOfMemory);
  auto in_the_call = bound(on_gpu_);
  EXPECT_EQ(code_of(in_the_call->compute()), Code::kOutOfMemory);
  EXPECT_EQ(in_the_call->summary().state, Execution::State::kCompleted);
  gpu_->behaviour.submit_result = {};
  EXPECT_TRUE(bound(on_gpu_)->compute());
}

TEST_F(LaunchedExecution, StartsOnALaunchThreadAndInTheCallWhenNothingIsToBeWaitedFor) {
  std::vector<std::string> names;
  gpu_->behaviour.submit_result = after([&] { names.push_back(thread_name()); });
  auto execution = bound(on_gpu_);
  const auto event = start(*execution);
  signal();
  EXPECT_TRUE(event->wait());
  auto another = bound(on_gpu_);
  EXPECT_TRUE(start(*another)->wait());
  EXPECT_TRUE(bound(on_gpu_)->compute());
  EXPECT_EQ(names, (std::vector<std::string>{kLaunchThread, thread_name(), thread_name()}));
}

TEST_F(LaunchedExecution, TheFallbackAfterAFailureOfTheDeviceIsALaunch) {
  Finished compilation(model_, runtime_);
  gpu_->behaviour.hold = true;
  gpu_->behaviour.execution_result = fail(Code::kOpFailed, "the test wants this");
  std::string name;
  cpu_->behaviour.submit_result = after([&] { name = thread_name(); });
  auto execution = bound(compilation);
  const auto event = execution->start_compute();
  gpu_->last_plan->release();  // the device's own thread, on which nothing may be prepared
  EXPECT_TRUE((*event)->wait());
  EXPECT_EQ(name, kLaunchThread);
  EXPECT_EQ(execution->summary().device, kReferenceDeviceName);
}

TEST_F(LaunchedExecution, AStepAfterOneThatADeviceFinishesIsALaunch) {
  FakeDevice first("first");  // computes on its own thread
  first.behaviour.hold = true;
  FakeDevice second("second");
  first.behaviour.takes = [](const PlanNode& node) { return node.source_operation == 0; };
  second.behaviour.takes = [](const PlanNode& node) { return node.source_operation == 1; };
  std::string name;
  second.behaviour.submit_result = after([&] { name = thread_name(); });
  PlanFixture f;
  const TensorId x = f.input({2});
  const TensorId between = f.temporary({2});
  f.node(OperationCode::kRelu, {x}, {between});
  f.node(OperationCode::kRelu, {between}, {f.output({2})});
  Device* const devices[] = {&first, &second};
  const PrepareOptions options;
  const HostEvaluator evaluator = cpu::reference_evaluator();
  const auto deployment = value_of(deploy(f.plan(), devices));
  auto ready =
      prepare_deployment(deployment, {.devices = devices, .options = options, .evaluator = evaluator, .launches = launches()});
  ASSERT_TRUE(ready);
  std::array<Binding, 2> bindings;
  bindings[0].data = reinterpret_cast<std::byte*>(input_.data());
  bindings[1].data = reinterpret_cast<std::byte*>(output_.data());
  for (Binding& binding : bindings) {
    binding.size = 8;
    binding.shape = Shape{2};
  }
  Request request;
  request.inputs = std::span(&bindings[0], 1);
  request.outputs = std::span(&bindings[1], 1);
  const auto submission = value_of(ready->runner->submit(request));
  first.last_plan->release();
  EXPECT_TRUE(submission.done.wait());
  EXPECT_EQ(name, kLaunchThread);
  EXPECT_EQ(output_, (std::array<float, 2>{1.0F, 2.0F}));
}

}  // namespace
}  // namespace nnvk::test
