// Executions over fake devices: states, modes, fallback, deadlines.
#include <future>
#include <thread>

#include "tests/core/runtime/runtime_fixture.h"

namespace nnvk::test {
namespace {

using ExecutionTest = RuntimeTest;
using State = Execution::State;
const std::array<float, 2> kExpected{2.0F, 3.0F};

tl::unexpected<Error> failing(Code code) { return fail(code, "the test wants this"); }

TEST_F(ExecutionTest, ComputeReturnsWhenTheOutputsAreReady) {
  Finished compilation(model_, runtime_);
  auto execution = bound(compilation);
  EXPECT_TRUE(execution->compute());
  EXPECT_EQ(output_, kExpected);
  EXPECT_EQ(execution->summary().device, "fake-gpu");
  EXPECT_EQ(code_of(execution->compute()), Code::kBadState);
}

TEST_F(ExecutionTest, AReusableExecutionComputesAgainButCannotBeChanged) {
  Finished compilation(model_, runtime_);
  auto execution = bound(compilation);
  ASSERT_TRUE(execution->set_reusable(true));
  EXPECT_TRUE(execution->compute());
  input_ = {5.0F, 6.0F};
  EXPECT_TRUE(execution->compute());
  EXPECT_EQ(output_, (std::array<float, 2>{6.0F, 7.0F}));
  EXPECT_EQ(code_of(execution->set_reusable(false)), Code::kBadState);
}

TEST_F(ExecutionTest, AnUnsetInputUsesTheExecutionUp) {
  Finished compilation(model_, runtime_);
  auto execution = Execution::create(compilation);
  EXPECT_EQ(code_of(execution->compute()), Code::kBadData);
  EXPECT_EQ(code_of(execution->compute()), Code::kBadState);
  EXPECT_EQ(execution->summary().state, State::kCompleted);
}

TEST_F(ExecutionTest, WhileComputingNothingElseIsAccepted) {
  gpu_->behaviour.hold = true;
  Finished compilation(model_, runtime_);
  auto execution = bound(compilation);
  auto event = value_of(execution->start_compute());
  EXPECT_EQ(code_of(execution->compute()), Code::kBadState);
  EXPECT_EQ(code_of(execution->set_loop_timeout(1)), Code::kBadState);
  EXPECT_EQ(code_of(execution->output_shape(0)), Code::kBadState);
  std::promise<void> idle;
  execution->prepare_end([&] { idle.set_value(); });
  execution->end_when_idle();
  auto is_idle = idle.get_future();
  EXPECT_EQ(is_idle.wait_for(std::chrono::milliseconds(1)), std::future_status::timeout);
  gpu_->last_plan->release();
  EXPECT_TRUE(event->wait());
  EXPECT_TRUE(event->wait());
  is_idle.wait();
  bool at_once = false;
  auto unused = bound(compilation);
  unused->prepare_end([&] { at_once = true; });
  unused->end_when_idle();
  EXPECT_TRUE(at_once);
  EXPECT_EQ(output_, kExpected);
}

TEST_F(ExecutionTest, EveryThreadThatWaitsForAnEventGetsTheSameResult) {
  gpu_->behaviour.hold = true;
  gpu_->behaviour.execution_result = failing(Code::kResourceExhaustedTransient);
  Finished compilation(model_, runtime_, {gpu_});
  auto execution = bound(compilation);
  auto event = value_of(execution->start_compute());
  std::array<Code, 4> codes{};
  std::vector<std::thread> threads;
  for (Code& code : codes) threads.emplace_back([&event, &code] { code = code_of(event->wait()); });
  gpu_->last_plan->release();
  for (std::thread& thread : threads) thread.join();
  for (const Code code : codes) EXPECT_EQ(code, Code::kResourceExhaustedTransient);
}

TEST_F(ExecutionTest, AFencedExecutionRunsUntilItsEventWasWaitedFor) {
  Finished compilation(model_, runtime_);
  auto execution = bound(compilation);
  auto event = value_of(execution->start_with_dependencies({}, 0));
  EXPECT_EQ(execution->summary().state, State::kComputation);
  EXPECT_EQ(code_of(execution->output_shape(0)), Code::kBadState);
  EXPECT_TRUE(event->wait());
  EXPECT_EQ(execution->summary().state, State::kCompleted);
  EXPECT_EQ(output_, kExpected);
}

TEST_F(ExecutionTest, FreeingTheEventOfAFencedExecutionCompletesIt) {
  Finished compilation(model_, runtime_);
  auto execution = bound(compilation);
  ASSERT_TRUE(execution->start_with_dependencies({}, 0));  // the event is destroyed at once
  EXPECT_EQ(execution->summary().state, State::kCompleted);
}

TEST_F(ExecutionTest, AChainOfFencedExecutionsRunsInOrder) {
  gpu_->behaviour.hold = true;
  Finished compilation(model_, runtime_);
  std::array<float, 2> second_output{};
  auto first = bound(compilation);
  auto second = Execution::create(compilation);
  ASSERT_TRUE(second->set(true, 0, {.data = output_.data(), .length = sizeof output_}));
  ASSERT_TRUE(second->set(false, 0, {.data = second_output.data(), .length = sizeof second_output}));
  auto first_event = value_of(first->start_with_dependencies({}, 0));
  const Event* dependency = first_event.get();
  auto second_event = value_of(second->start_with_dependencies({&dependency, 1}, 0));
  EXPECT_EQ(gpu_->last_plan->submissions, 1U);
  gpu_->behaviour.hold = false;
  gpu_->last_plan->release();  // the first, which lets the second start
  EXPECT_TRUE(second_event->wait());
  EXPECT_EQ(second_output, (std::array<float, 2>{3.0F, 4.0F}));
}

TEST_F(ExecutionTest, AFailedFencedDependencyFailsItsDependantsWithoutRunningThem) {
  gpu_->behaviour.hold = true;
  Finished compilation(model_, runtime_, {gpu_});
  auto first = bound(compilation);
  std::array<float, 2> untouched{-1.0F, -1.0F};
  auto second = Execution::create(compilation);
  ASSERT_TRUE(second->set(true, 0, {.data = input_.data(), .length = sizeof input_}));
  ASSERT_TRUE(second->set(false, 0, {.data = untouched.data(), .length = sizeof untouched}));
  auto first_event = first->start_with_dependencies({}, 0);
  const Event* dependency = first_event->get();
  auto second_event = second->start_with_dependencies({&dependency, 1}, 1'000'000'000);
  gpu_->behaviour.execution_result = failing(Code::kOpFailed);
  gpu_->last_plan->release();
  EXPECT_EQ(code_of((*second_event)->wait()), Code::kOpFailed);
  EXPECT_EQ(untouched, (std::array<float, 2>{-1.0F, -1.0F}));
}

TEST_F(ExecutionTest, AFailedStartComputeDoesNotFailItsDependants) {
  Finished compilation(model_, runtime_, {gpu_});
  gpu_->behaviour.execution_result = failing(Code::kOpFailed);
  auto first = bound(compilation);
  auto first_event = first->start_compute();
  EXPECT_EQ(code_of((*first_event)->wait()), Code::kOpFailed);
  gpu_->behaviour.execution_result = {};
  const Event* dependency = first_event->get();
  auto second = bound(compilation);
  auto second_event = value_of(second->start_with_dependencies({&dependency, 1}, 0));
  EXPECT_TRUE(second_event->wait());
}

TEST_F(ExecutionTest, ADeviceErrorIsRetriedOnTheCpuUnlessTheClientChoseTheDevice) {
  gpu_->behaviour.execution_result = failing(Code::kDeadObject);
  Finished automatic(model_, runtime_);
  auto execution = bound(automatic);
  EXPECT_TRUE(execution->compute());
  EXPECT_EQ(output_, kExpected);
  EXPECT_EQ(execution->summary().device, kReferenceDeviceName);

  Finished explicit_gpu(model_, runtime_, {gpu_});
  EXPECT_EQ(code_of(bound(explicit_gpu)->compute()), Code::kDeadObject);
}

TEST_F(ExecutionTest, ALaunchErrorIsRetriedOnTheCpuInEveryMode) {
  gpu_->behaviour.submit_result = failing(Code::kResourceExhaustedPersistent);
  Finished compilation(model_, runtime_);
  EXPECT_TRUE(bound(compilation)->compute());
  auto asynchronous = bound(compilation);
  EXPECT_TRUE((*asynchronous->start_compute())->wait());
  auto fenced = bound(compilation);
  EXPECT_TRUE((*fenced->start_with_dependencies({}, 0))->wait());
  EXPECT_EQ(cpu_->prepared, 1);
}

TEST_F(ExecutionTest, AnEmptyResultWithADeclaredSizeReportsTheDeclaredSize) {
  gpu_->behaviour.reported_output = {0};
  Finished compilation(model_, runtime_);
  auto execution = bound(compilation);
  ASSERT_TRUE(execution->compute());
  const auto output = value_of(execution->output_shape(0));
  EXPECT_EQ(output.shape, Shape{2});
}

TEST_F(ExecutionTest, AnInsufficientOutputIsFinalAndReportsItsShape) {
  gpu_->behaviour.execution_result = failing(Code::kOutputInsufficientSize);
  gpu_->behaviour.reported_output = {7};
  Finished compilation(model_, runtime_);
  auto execution = bound(compilation);
  EXPECT_EQ(code_of(execution->compute()), Code::kOutputInsufficientSize);
  const auto output = value_of(execution->output_shape(0));
  EXPECT_EQ(output.shape, Shape{7});
  EXPECT_FALSE(output.sufficient);
  EXPECT_EQ(cpu_->prepared, 0);
}

TEST_F(ExecutionTest, ErrorsOfStartComputeArriveThroughTheEventInTheirAsynchronousForm) {
  gpu_->behaviour.submit_result = failing(Code::kUnmappable);
  Finished compilation(model_, runtime_, {gpu_});
  auto execution = bound(compilation);
  auto event = value_of(execution->start_compute());
  EXPECT_EQ(code_of(event->wait()), Code::kOpFailed);
  EXPECT_EQ(asynchronous_code(Code::kUnexpectedNull), Code::kBadData);
  EXPECT_EQ(asynchronous_code(Code::kMissedDeadlineTransient), Code::kMissedDeadlineTransient);
}

TEST_F(ExecutionTest, DurationsNeedAnExplicitDeviceAndARequest) {
  Finished compilation(model_, runtime_, {gpu_});
  uint64_t value = 0;
  auto unmeasured = bound(compilation);
  ASSERT_TRUE(unmeasured->compute());
  EXPECT_EQ(code_of(unmeasured->duration(DurationKind::kInDriver, &value)), Code::kBadState);
  EXPECT_EQ(value, UINT64_MAX);
  auto measured = bound(compilation);
  ASSERT_TRUE(measured->set_measure_timing(true));
  ASSERT_TRUE(measured->compute());
  EXPECT_TRUE(measured->duration(DurationKind::kFencedInDriver, &value));
  EXPECT_EQ(value, 2000U);
  EXPECT_TRUE(measured->duration(DurationKind::kOnHardware, &value));
  EXPECT_EQ(value, 1000U);
}

TEST_F(ExecutionTest, ATimeoutThatIsOverBeforeTheStartIsPersistent) {
  Finished compilation(model_, runtime_, {gpu_});
  auto execution = bound(compilation);
  ASSERT_TRUE(execution->set_timeout(1));
  EXPECT_EQ(code_of(execution->compute()), Code::kMissedDeadlinePersistent);
  auto relaxed = bound(compilation);
  ASSERT_TRUE(relaxed->set_timeout(UINT64_MAX));
  EXPECT_TRUE(relaxed->compute());
  EXPECT_FALSE(gpu_->last_plan->last_deadline.has_value());
}

TEST_F(ExecutionTest, LoopTimeoutsAreClampedToTheMaximum) {
  Finished compilation(model_, runtime_);
  auto execution = bound(compilation);
  ASSERT_TRUE(execution->set_loop_timeout(UINT64_MAX));
  ASSERT_TRUE(execution->compute());
  EXPECT_EQ(gpu_->last_plan->last_loop_timeout, std::chrono::seconds(15));
}

TEST_F(ExecutionTest, ABurstAcceptsOnlyExecutionsOfItsCompilation) {
  Finished compilation(model_, runtime_);
  Finished other(model_, runtime_);
  Burst burst(compilation);
  auto foreign = bound(other);
  EXPECT_EQ(code_of(foreign->burst_compute(burst)), Code::kBadData);
  EXPECT_TRUE(foreign->compute());
  auto execution = bound(compilation);
  ASSERT_TRUE(burst.try_acquire());
  EXPECT_EQ(code_of(execution->burst_compute(burst)), Code::kBadState);
  burst.release();
  EXPECT_TRUE(execution->burst_compute(burst));
}

TEST_F(ExecutionTest, FencedOutputsNeedKnownShapes) {
  Model open(runtime_.extensions());
  build_relu(open, {0}, {0});
  Finished compilation(open, runtime_);
  auto execution = Execution::create(compilation);
  const uint32_t dims[] = {2};
  const OperandTypeDescription type{3, dims, 1, 0.0F, 0};
  ASSERT_TRUE(execution->set(true, 0, {.type = &type, .data = input_.data(), .length = sizeof input_}));
  ASSERT_TRUE(execution->set(false, 0, {.data = output_.data(), .length = sizeof output_}));
  EXPECT_EQ(code_of(execution->start_with_dependencies({}, 0)), Code::kBadData);
  EXPECT_EQ(execution->summary().state, State::kCompleted);
}

TEST_F(ExecutionTest, ManyThreadsComputeOneCompilationAtTheSameTime) {
  Finished compilation(model_, runtime_);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&compilation, &right, t] {
      for (int i = 0; i < 50; ++i) {
        const std::array<float, 2> input{static_cast<float>(t), static_cast<float>(i)};
        std::array<float, 2> output{};
        auto execution = Execution::create(compilation);
        const bool ok = execution->set(true, 0, {.data = input.data(), .length = sizeof input}) &&
                        execution->set(false, 0, {.data = output.data(), .length = sizeof output}) && execution->compute();
        if (ok && output[0] == input[0] + 1 && output[1] == input[1] + 1) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 16 * 50);
}

}  // namespace
}  // namespace nnvk::test
