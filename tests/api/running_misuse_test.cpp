// Calls while a computation runs. The computation is a loop that ends only when its time is over.
#include <limits>
#include <thread>

#include "tests/api/api_objects.h"
#include "tests/api/misuse_table.h"

namespace nnvk::test {
namespace {

// Long enough for a dozen calls on a busy machine.
constexpr uint64_t kLoopTimeout = 1'000'000'000;
constexpr int kTimedOut = ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;

class RunningMisuse : public ::testing::Test {
 protected:
  ExecutionPointer bound(uint64_t loop_timeout = kLoopTimeout) {
    ExecutionPointer e = make_execution(compilation_, {in_}, {out_});
    EXPECT_EQ(ANeuralNetworksExecution_setLoopTimeout(e.get(), loop_timeout), kOk);
    return e;
  }

  EndlessLoop model_;
  CompilationPointer compilation_ = finished(compile_for_one(model_.get()));
  float in_ = 1.0F;
  float out_ = 0.0F;
};

TEST_F(RunningMisuse, AStartedExecutionRefusesEverything) {
  const ExecutionPointer execution = bound();
  const EventPointer event = start(execution);
  ANeuralNetworksExecution* const e = execution.get();
  ANeuralNetworksEvent* second = nullptr;
  uint64_t duration = 0;
  uint32_t value = 0;
  check_cases({
      {423, "setInput", kBadState, NNVK_CALL(ANeuralNetworksExecution_setInput(e, 0, nullptr, &in_, sizeof in_))},
      {446, "setOutput", kBadState, NNVK_CALL(ANeuralNetworksExecution_setOutput(e, 0, nullptr, &out_, sizeof out_))},
      {534, "setReusable", kBadState, NNVK_CALL(ANeuralNetworksExecution_setReusable(e, true))},
      {556, "setLoopTimeout", kBadState, NNVK_CALL(ANeuralNetworksExecution_setLoopTimeout(e, 1))},
      {573, "compute", kBadState, NNVK_CALL(ANeuralNetworksExecution_compute(e))},
      {590, "startCompute", kBadState, NNVK_CALL(ANeuralNetworksExecution_startCompute(e, &second))},
      {620, "getDuration", kBadState, NNVK_CALL(ANeuralNetworksExecution_getDuration(e, 0, &duration))},
      {630, "getOutputOperandRank", kBadState, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandRank(e, 0, &value))},
      {641, "getOutputOperandDimensions", kBadState,
       NNVK_CALL(ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, &value))},
  });
  EXPECT_EQ(second, nullptr);
  int results[3] = {-1, -1, -1};
  {
    std::vector<std::jthread> threads;
    for (int& result : results) threads.emplace_back([&] { result = ANeuralNetworksEvent_wait(event.get()); });
  }
  check_cases({
      {662, "wait for the loop", kTimedOut, NNVK_CALL(ANeuralNetworksEvent_wait(event.get()))},
      {663, "wait in several threads", kOk,
       [&] {
         for (const int result : results) EXPECT_EQ(result, kTimedOut);
         return kOk;
       }},
  });
  ExecutionPointer freed = bound(20'000'000);
  const EventPointer ends = start(freed);
  check_cases({
      {408, "free right after the start", kOk, NNVK_CALL((ANeuralNetworksExecution_free(freed.release()), kOk))},
      {0, "the computation goes on", kTimedOut, NNVK_CALL(ANeuralNetworksEvent_wait(ends.get()))},
  });
}

TEST_F(RunningMisuse, LoopsEndWithTheirTime) {
  check_cases({
      {581, "endless", kTimedOut, NNVK_CALL(ANeuralNetworksExecution_compute(bound(10'000'000).get()))},
      {666, "free of an event waits for its computation", kOk,
       [&] {
         const ExecutionPointer e = bound(50'000'000);
         start(e).reset();
         EXPECT_EQ(ANeuralNetworksExecution_compute(e.get()), kBadState);  // completed, not computing
         return kOk;
       }},
  });
}

// The condition is false from the start: NaN equals nothing, not even itself. The loop checks the timeout nevertheless.
TEST_F(RunningMisuse, ALoopThatIsOverAtOnce) {
  in_ = std::numeric_limits<float>::quiet_NaN();
  check_cases({
      {582, "loop timeout 0", kTimedOut, NNVK_CALL(ANeuralNetworksExecution_compute(bound(0).get()))},
      {0, "loop timeout 1 s", kOk, NNVK_CALL(ANeuralNetworksExecution_compute(bound().get()))},
  });
  EXPECT_NE(out_, out_);
}

TEST_F(RunningMisuse, ABurstServesOneThreadAtATime) {
  const BurstPointer burst = make_burst(compilation_);
  const ExecutionPointer running = bound();
  const ExecutionPointer other = bound();
  uint64_t duration = 0;
  std::jthread thread([&] { EXPECT_EQ(ANeuralNetworksExecution_burstCompute(running.get(), burst.get()), kTimedOut); });
  // A call takes the burst before it starts the execution. So once settings are refused, the burst is in use.
  while (ANeuralNetworksExecution_setReusable(running.get(), false) == kOk) std::this_thread::yield();
  check_cases({
      {596, "busy", kBadState, NNVK_CALL(ANeuralNetworksExecution_burstCompute(other.get(), burst.get()))},
      {0, "duration meanwhile", kBadState, NNVK_CALL(ANeuralNetworksExecution_getDuration(running.get(), 0, &duration))},
  });
  thread.join();
}

}  // namespace
}  // namespace nnvk::test
