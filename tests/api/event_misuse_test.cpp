// Wrong use of asynchronous and fenced computations, and of events.
#include "tests/api/execution_fixture.h"
#include "tests/api/misuse_table.h"

namespace nnvk::test {
namespace {

class EventMisuse : public ExecutionTest {};

TEST_F(EventMisuse, StartCompute) {
  ANeuralNetworksEvent* event = nullptr;
  check_cases({
      {586, "execution NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_startCompute(nullptr, &event))},
      {587, "event NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_startCompute(bound().get(), nullptr))},
      {588, "both NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_startCompute(nullptr, nullptr))},
      {589, "an input not set", kBadData, NNVK_CALL(ANeuralNetworksExecution_startCompute(fresh().get(), &event))},
      {591, "completed", kBadState, NNVK_CALL(ANeuralNetworksExecution_startCompute(computed().get(), &event))},
  });
  EXPECT_EQ(event, nullptr);
}

TEST_F(EventMisuse, FailuresOfStartedComputationsAreInTheEvent) {
  const MemoryPointer memory = make_unmappable_memory();
  const ExecutionPointer e = bound_to(memory);
  ANeuralNetworksEvent* event = nullptr;
  check_cases({{592, "will not be mappable", kOk, NNVK_CALL(ANeuralNetworksExecution_startCompute(e.get(), &event))}});
  ASSERT_NE(event, nullptr);
  const EventPointer failed(event);
  const ANeuralNetworksEvent* dependency = failed.get();
  const ExecutionPointer dependent = bound();
  ANeuralNetworksEvent* second = nullptr;
  check_cases({
      {660, "wait for a failure", kFailed, NNVK_CALL(ANeuralNetworksEvent_wait(failed.get()))},
      {661, "wait for UNMAPPABLE", kFailed, NNVK_CALL(ANeuralNetworksEvent_wait(failed.get()))},
      {614, "a failed event as dependency", kOk,
       NNVK_CALL(ANeuralNetworksExecution_startComputeWithDependencies(dependent.get(), &dependency, 1, 0, &second))},
      {0, "which is ignored", kOk, NNVK_CALL(ANeuralNetworksEvent_wait(second))},
  });
  ANeuralNetworksEvent_free(second);
  uint32_t rank = 0;
  uint32_t dimensions[4] = {};
  check_cases({
      {633, "rank", kBadState, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandRank(e.get(), 0, &rank))},
      {644, "dimensions", kBadState, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandDimensions(e.get(), 0, dimensions))},
  });
}

TEST_F(EventMisuse, StartComputeWithDependencies) {
  ANeuralNetworksEvent* event = nullptr;
  const ANeuralNetworksEvent* entries[] = {nullptr};
  const auto start = [&](ANeuralNetworksExecution* e, const ANeuralNetworksEvent* const* list, uint32_t count,
                         uint64_t duration) {
    const int result = ANeuralNetworksExecution_startComputeWithDependencies(e, list, count, duration, &event);
    if (result != kOk) {
      EXPECT_EQ(event, nullptr);
    }
    ANeuralNetworksEvent_free(event);
    event = nullptr;
    return result;
  };
  const Compiled open(make_add({0}));
  check_cases({
      {600, "event NULL", kNull,
       NNVK_CALL(ANeuralNetworksExecution_startComputeWithDependencies(bound().get(), nullptr, 0, 0, nullptr))},
      {601, "execution NULL", kNull, NNVK_CALL(start(nullptr, nullptr, 0, 0))},
      {602, "dependencies NULL", kNull, NNVK_CALL(start(bound().get(), nullptr, 1, 0))},
      {603, "no dependencies", kOk, NNVK_CALL(start(bound().get(), nullptr, 0, 0))},
      {604, "an entry is NULL", kNull, NNVK_CALL(start(bound().get(), entries, 1, 0))},
      {607, "duration", kOk, NNVK_CALL(start(bound().get(), nullptr, 0, 1'000'000'000))},
      {608, "output not fully specified", kBadData,
       [&] {
         const TypeOf two(kFloat, {2});
         return start(make_execution(open.compilation, {{in_, two.get()}, {in_, two.get()}}, {out_}).get(), nullptr, 0, 0);
       }},
      {610, "an input not set", kBadData, NNVK_CALL(start(fresh().get(), nullptr, 0, 0))},
      {612, "completed", kBadState, NNVK_CALL(start(computed().get(), nullptr, 0, 0))},
  });
}

TEST_F(EventMisuse, AFencedExecutionIsUsableAgainOnlyAfterItsEvent) {
  const ExecutionPointer e = bound();
  const EventPointer event = start_fenced(e);
  uint64_t duration = 0;
  uint32_t rank = 0;
  check_cases({
      {625, "duration", kBadState, NNVK_CALL(ANeuralNetworksExecution_getDuration(e.get(), 0, &duration))},
      {636, "rank", kBadState, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandRank(e.get(), 0, &rank))},
      {647, "dimensions", kBadState, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandDimensions(e.get(), 0, &rank))},
      {611, "start again", kBadState,
       [&] {
         ANeuralNetworksEvent* second = nullptr;
         return ANeuralNetworksExecution_startComputeWithDependencies(e.get(), nullptr, 0, 0, &second);
       }},
  });
  EXPECT_EQ(wait(event), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(e.get(), 0, &rank), kOk);
  ANeuralNetworksExecution* const freed = bound().release();
  EventPointer unwaited;
  {
    ANeuralNetworksEvent* made = nullptr;
    ASSERT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(freed, nullptr, 0, 0, &made), kOk);
    unwaited.reset(made);
  }
  check_cases({
      {409, "free though the event was not waited for", kOk, NNVK_CALL((ANeuralNetworksExecution_free(freed), kOk))},
      {0, "which says the result", kOk, NNVK_CALL(ANeuralNetworksEvent_wait(unwaited.get()))},
  });
}

TEST_F(EventMisuse, TheCpuDeviceHasNoSyncFences) {
  const CompilationPointer on_cpu = finished(compile_for_cpu(model_.get()));
  const ExecutionPointer e = bound(on_cpu);
  const EventPointer event = start_fenced(e);
  int fd = 5;
  check_cases({{676, "sync fence", kBadData, NNVK_CALL(ANeuralNetworksEvent_getSyncFenceFd(event.get(), &fd))}});
  EXPECT_EQ(fd, -1);
}

TEST_F(EventMisuse, Events) {
  int fd = 5;
  const ExecutionPointer running = bound();
  const EventPointer started = start(running);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ANeuralNetworksEvent* made = nullptr;
  check_cases({
      {658, "wait NULL", kNull, NNVK_CALL(ANeuralNetworksEvent_wait(nullptr))},
      {659, "wait", kOk, NNVK_CALL(ANeuralNetworksEvent_wait(started.get()))},
      {659, "wait twice", kOk, NNVK_CALL(ANeuralNetworksEvent_wait(started.get()))},
      {665, "free NULL", kOk, NNVK_CALL((ANeuralNetworksEvent_free(nullptr), kOk))},
      {667, "event NULL", kNull, NNVK_CALL(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], nullptr))},
      {668, "fd -1", kBadData, NNVK_CALL(ANeuralNetworksEvent_createFromSyncFenceFd(-1, &made))},
      {669, "fd 0", kBadData, NNVK_CALL(ANeuralNetworksEvent_createFromSyncFenceFd(0, &made))},
      {670, "fd -1 and event NULL", kNull, NNVK_CALL(ANeuralNetworksEvent_createFromSyncFenceFd(-1, nullptr))},
      {672, "fd not open", kBadData, NNVK_CALL(ANeuralNetworksEvent_createFromSyncFenceFd(987, &made))},
      {673, "event NULL", kNull, NNVK_CALL(ANeuralNetworksEvent_getSyncFenceFd(nullptr, &fd))},
      {674, "fd NULL", kNull, NNVK_CALL(ANeuralNetworksEvent_getSyncFenceFd(started.get(), nullptr))},
      {675, "event of startCompute", kBadData, NNVK_CALL(ANeuralNetworksEvent_getSyncFenceFd(started.get(), &fd))},
  });
  EXPECT_EQ(fd, -1);
  EXPECT_EQ(made, nullptr);
  const EventPointer foreign = event_of_fence(ends[0]);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  int second = -1;
  check_cases({
      {671, "the caller closes its descriptor", kOk,
       [&] {
         ::close(ends[0]);
         return ANeuralNetworksEvent_wait(foreign.get());
       }},
      {677, "event of a sync fence", kOk, NNVK_CALL(ANeuralNetworksEvent_getSyncFenceFd(foreign.get(), &fd))},
      {677, "again: another descriptor", kOk, NNVK_CALL(ANeuralNetworksEvent_getSyncFenceFd(foreign.get(), &second))},
  });
  EXPECT_GT(fd, 0);
  EXPECT_GT(second, 0);
  EXPECT_NE(fd, second);
  ::close(fd);
  ::close(second);
  ::close(ends[1]);
}

// The event of a sync fence in error: for the writing end of a pipe without a reader poll reports POLLERR.
EventPointer broken_fence() {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  EventPointer event = event_of_fence(ends[1]);
  ::close(ends[1]);
  return event;
}

TEST_F(EventMisuse, ASyncFenceThatEndsInAnErrorFailsTheComputation) {
  const EventPointer broken = broken_fence();
  const ANeuralNetworksEvent* dependency = broken.get();
  ANeuralNetworksEvent* event = nullptr;
  const CompilationPointer on_cpu = finished(compile_for_cpu(model_.get()));
  const ExecutionPointer e = bound(on_cpu);
  check_cases({{613, "fence in error", ANEURALNETWORKS_OP_FAILED,
                NNVK_CALL(ANeuralNetworksExecution_startComputeWithDependencies(e.get(), &dependency, 1, 0, &event))}});
  EXPECT_EQ(event, nullptr);
}

TEST_F(EventMisuse, OtherDevicesReportTheErrorOfASyncFenceInTheEvent) {
  if (gpus().empty()) GTEST_SKIP() << "there is only the CPU device";
  const EventPointer broken = broken_fence();
  const CompilationPointer on_gpu = compiled_on(model_.get(), gpus().front());
  const ExecutionPointer e = bound(on_gpu);
  EXPECT_EQ(wait(start_fenced(e, broken.get())), kFailed);
}

}  // namespace
}  // namespace nnvk::test
