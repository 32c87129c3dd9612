// Objects that one thread frees while a call of another thread uses them: the call ends normally, and the object is destroyed
// after it. AddressSanitizer would end the program at any use of freed memory.
#include <malloc.h>
#include <nnvk/diagnostics.h>

#include <functional>
#include <thread>

#include "tests/api/execution_fixture.h"
#include "tests/support/blocking_page.h"

namespace nnvk::test {
namespace {

// malloc overwrites freed memory at once, so that its use shows without a sanitizer as well.
class FreedMemoryIsOverwritten {
 public:
  FreedMemoryIsOverwritten() { ::mallopt(M_PERTURB, 0xA5); }
  ~FreedMemoryIsOverwritten() { ::mallopt(M_PERTURB, 0); }
};

class FreedInCall : public ExecutionTest {
 protected:
  // Runs `call` on another thread, and `free` while that thread waits to read the page; returns the result of `call`.
  int result_of(const std::function<int()>& call, const std::function<void()>& free) {
    int code = -1;
    std::thread thread([&] { code = call(); });
    page_.await_reader();
    free();
    page_.open();
    thread.join();
    return code;
  }

  BlockingPage page_;
  FreedMemoryIsOverwritten overwritten_;
};

TEST_F(FreedInCall, Model) {
  ModelBuilder builder;
  const uint32_t indexes[] = {builder.operand(kFloat, {2}), builder.operand(kFloat, {2})};
  ANeuralNetworksModel* const model = builder.release();
  const uint32_t* const held = page_.hold(indexes, sizeof indexes);
  EXPECT_EQ(result_of([&] { return ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, held, 1, held + 1); },
                      [&] { ANeuralNetworksModel_free(model); }),
            kOk);
  EXPECT_EQ(ANeuralNetworksModel_finish(model), kBadData);  // freed at the end of the call
}

TEST_F(FreedInCall, Compilation) {
  ANeuralNetworksCompilation* const compilation = compile_for_one(model_.get()).release();
  const char folder[] = "/tmp/";
  const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {};
  const char* const held = page_.hold(folder, sizeof folder);
  EXPECT_EQ(result_of([&] { return ANeuralNetworksCompilation_setCaching(compilation, held, token); },
                      [&] { ANeuralNetworksCompilation_free(compilation); }),
            kOk);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation), kBadData);
}

TEST_F(FreedInCall, Execution) {
  ANeuralNetworksExecution* const execution = fresh().release();
  const TypeOf type(kFloat, {2});
  const auto* const held = page_.hold(type.get(), sizeof *type.get());
  EXPECT_EQ(result_of([&] { return ANeuralNetworksExecution_setInput(execution, 0, held, in_.data(), sizeof in_); },
                      [&] { ANeuralNetworksExecution_free(execution); }),
            kOk);
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution), kBadData);
}

// The computation itself reads the input while everything that the execution uses has been freed.
TEST_F(FreedInCall, ExecutionThatComputesWithItsCompilationAndModel) {
  const float* const held = page_.hold(in_.data(), sizeof in_);
  ANeuralNetworksExecution* const execution = fresh().release();
  EXPECT_EQ(ANeuralNetworksExecution_setInput(execution, 0, nullptr, held, sizeof in_), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(execution, 1, nullptr, in_.data(), sizeof in_), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution, 0, nullptr, out_.data(), sizeof out_), kOk);
  EXPECT_EQ(result_of([&] { return ANeuralNetworksExecution_compute(execution); },
                      [&] {
                        ANeuralNetworksExecution_free(execution);
                        compilation_.reset();
                        model_ = ModelBuilder();
                      }),
            kOk);
  EXPECT_EQ(out_[1], 4.0F);
}

TEST_F(FreedInCall, Burst) {
  const float* const held = page_.hold(in_.data(), sizeof in_);
  ANeuralNetworksBurst* const burst = make_burst(compilation_).release();
  const ExecutionPointer execution = fresh();
  EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, held, sizeof in_), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, in_.data(), sizeof in_), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, out_.data(), sizeof out_), kOk);
  EXPECT_EQ(result_of([&] { return ANeuralNetworksExecution_burstCompute(execution.get(), burst); },
                      [&] { ANeuralNetworksBurst_free(burst); }),
            kOk);
  EXPECT_EQ(out_[1], 4.0F);
}

TEST_F(FreedInCall, Memory) {
  ANeuralNetworksMemory* const memory = make_memory(8).release();
  const ExecutionPointer execution = fresh();
  const TypeOf type(kFloat, {2});
  const auto* const held = page_.hold(type.get(), sizeof *type.get());
  EXPECT_EQ(result_of([&] { return ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, held, memory, 0, 8); },
                      [&] { ANeuralNetworksMemory_free(memory); }),
            kOk);
  EXPECT_EQ(ANeuralNetworksMemory_copy(memory, memory), kBadData);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, in_.data(), sizeof in_), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, out_.data(), sizeof out_), kOk);
  EXPECT_EQ(compute(execution), kOk);  // it keeps its objects alive
}

// The first event is freed after the call has read it, while the call reads the second.
TEST_F(FreedInCall, Event) {
  const ExecutionPointer first = bound();
  const ExecutionPointer second = bound();
  const ExecutionPointer execution = bound();
  ANeuralNetworksEvent* const events[] = {start_fenced(first).release(), start_fenced(second).release()};
  ANeuralNetworksEvent* const* const held = page_.hold(events, sizeof events, sizeof events[0]);
  ANeuralNetworksEvent* event = nullptr;
  EXPECT_EQ(result_of([&] { return ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), held, 2, 0, &event); },
                      [&] { ANeuralNetworksEvent_free(events[0]); }),
            kOk);
  EXPECT_EQ(wait(EventPointer(event)), kOk);
  EXPECT_EQ(ANeuralNetworksEvent_wait(events[0]), kBadData);
  ANeuralNetworksEvent_free(events[1]);
}

TEST_F(FreedInCall, MemoryDescriptor) {
  ANeuralNetworksMemoryDesc* const desc = make_desc().release();
  const uint32_t dims[] = {2};
  const uint32_t* const held = page_.hold(dims, sizeof dims);
  EXPECT_EQ(result_of([&] { return ANeuralNetworksMemoryDesc_setDimensions(desc, 1, held); },
                      [&] { ANeuralNetworksMemoryDesc_free(desc); }),
            kOk);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(desc), kBadData);
}

// Free waits for the end of the computation although another thread waits as well: outputs may be freed after it.
TEST(FreedWhileWaitedFor, Event) {
  EndlessLoop model;
  const CompilationPointer compilation = compiled_on(model.get(), device_of_this_run());
  std::array<float, 1> in{1.0F};
  std::array<float, 1> out{};
  const ExecutionPointer execution = make_execution(compilation, {in}, {out});
  ASSERT_EQ(ANeuralNetworksExecution_setLoopTimeout(execution.get(), 200'000'000), kOk);
  ANeuralNetworksEvent* const event = start(execution).release();
  std::thread waits([&] {
    const int code = ANeuralNetworksEvent_wait(event);
    EXPECT_TRUE(code == ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT || code == kBadData) << code;
  });
  ANeuralNetworksEvent_free(event);
  EXPECT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), true), kBadState);  // it was computed
  EXPECT_EQ(nnvk_lastError() != nullptr && std::string(nnvk_lastError()).find("computing") != std::string::npos, false);
  waits.join();
}

// In any order: one thread computes until the other has freed the execution, again and again on every device.
TEST(FreedAtRandom, ExecutionsComputeOrAreRefused) {
  const ModelBuilder model = make_add({2});
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const CompilationPointer compilation = compiled_on(model.get(), device);
    for (int round = 0; round < 100; ++round) {
      std::array<float, 2> in{1.0F, 2.0F};
      std::array<float, 2> out{};
      ANeuralNetworksExecution* const execution = make_execution(compilation, {in, in}, {out}).release();
      EXPECT_EQ(ANeuralNetworksExecution_setReusable(execution, true), kOk);
      std::atomic<int> computed{0};
      std::thread thread([&] {
        int code = kOk;
        while (code == kOk) {
          code = ANeuralNetworksExecution_compute(execution);
          ++computed;
        }
        EXPECT_EQ(code, kBadData);
      });
      while (computed < 1 + round % 3) std::this_thread::yield();
      ANeuralNetworksExecution_free(execution);
      thread.join();
      EXPECT_EQ(out[1], 4.0F);
    }
  }
}

}  // namespace
}  // namespace nnvk::test
