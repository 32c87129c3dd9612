// Wrong use of executions: bindings, settings, computing at once and in bursts, results.
#include "tests/api/execution_fixture.h"
#include "tests/api/misuse_table.h"

namespace nnvk::test {
namespace {

class ExecutionMisuse : public ExecutionTest {};

// setInput and setOutput follow the same rules; ids of setOutput rows are 23 above those of setInput up to row 432.
using Setter = int (*)(ANeuralNetworksExecution*, int32_t, const ANeuralNetworksOperandType*, void*, size_t);

int set_const_input(ANeuralNetworksExecution* e, int32_t i, const ANeuralNetworksOperandType* t, void* b, size_t n) {
  return ANeuralNetworksExecution_setInput(e, i, t, b, n);
}

TEST_F(ExecutionMisuse, SetInputAndSetOutput) {
  std::array<float, 16> buffer{};
  float* data = buffer.data();
  const std::tuple<Setter, int, int32_t> setters[] = {{set_const_input, 0, 2}, {ANeuralNetworksExecution_setOutput, 23, 1}};
  for (const auto& [set_function, shift, count_value] : setters) {
    const Setter set = set_function;
    const int32_t count = count_value;
    const auto with_padding = [&](size_t length) {
      const ExecutionPointer e = fresh();
      EXPECT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(e.get(), true), kOk);
      return set(e.get(), 0, nullptr, data, length);
    };
    const auto typed = [&](int32_t type, std::vector<uint32_t> dims, float scale = 0.0F) {
      return set(fresh().get(), 0, TypeOf(type, std::move(dims), scale).get(), data, 8);
    };
    check_cases({
        {410 + shift, "execution NULL", kNull, NNVK_CALL(set(nullptr, 0, nullptr, data, 8))},
        {411 + shift, "buffer NULL, length 4", kNull, NNVK_CALL(set(fresh().get(), 0, nullptr, nullptr, 4))},
        {412 + shift, "length 0", kBadData, NNVK_CALL(set(fresh().get(), 0, nullptr, data, 0))},
        {413 + shift, "index -1", kBadData, NNVK_CALL(set(fresh().get(), -1, nullptr, data, 8))},
        {414 + shift, "index == count", kBadData, NNVK_CALL(set(fresh().get(), count, nullptr, data, 8))},
        {415 + shift, "one byte short", kBadData, NNVK_CALL(set(fresh().get(), 0, nullptr, data, 7))},
        {416 + shift, "one byte long", kBadData, NNVK_CALL(set(fresh().get(), 0, nullptr, data, 9))},
        {417 + shift, "one byte long, padding on", kOk, NNVK_CALL(with_padding(9))},
        {418 + shift, "short, padding on", kBadData, NNVK_CALL(with_padding(7))},
        {419 + shift, "twice", kBadState,
         [&] {
           const ExecutionPointer e = fresh();
           EXPECT_EQ(set(e.get(), 0, nullptr, data, 8), kOk);
           return set(e.get(), 0, nullptr, data, 8);
         }},
        {420 + shift, "again after a failed call", kOk,
         [&] {
           const ExecutionPointer e = fresh();
           EXPECT_EQ(set(e.get(), 0, nullptr, data, 7), kBadData);
           return set(e.get(), 0, nullptr, data, 8);
         }},
        {421 + shift, "after compute", kBadState, NNVK_CALL(set(computed().get(), 0, nullptr, data, 8))},
        {422 + shift, "completed and reusable", kBadState, NNVK_CALL(set(computed(true).get(), 0, nullptr, data, 8))},
        {424 + shift, "other rank", kBadData, NNVK_CALL(typed(kFloat, {1, 2}))},
        {425 + shift, "overrides a dimension", kBadData, NNVK_CALL(typed(kFloat, {3}))},
        {426 + shift, "known dimension to 0", kBadData, NNVK_CALL(typed(kFloat, {0}))},
        {427 + shift, "dimensions NULL", kBadData,
         [&] {
           const ANeuralNetworksOperandType type{kFloat, 1, nullptr, 0, 0};
           return set(fresh().get(), 0, &type, data, 8);
         }},
        {428 + shift, "illegal quantization", kBadData, NNVK_CALL(typed(kFloat, {2}, 1.0F))},
        {429 + shift, "too large", kBadData, NNVK_CALL(typed(kFloat, {65536, 65536}))},
        {430 + shift, "other type code, same dimensions", kOk, NNVK_CALL(typed(ANEURALNETWORKS_TENSOR_INT32, {2}))},
        {431 + shift, "omitted", kOk, NNVK_CALL(set(fresh().get(), 0, nullptr, nullptr, 0))},
        {432 + shift, "length above 2^32 - 1", kBadData, NNVK_CALL(set(fresh().get(), 0, nullptr, data, size_t{1} << 32))},
        {456 + (shift != 0 ? 1 : 0), "equal type", kOk, NNVK_CALL(typed(kFloat, {2}))},
    });
  }
}

TEST_F(ExecutionMisuse, MemoriesAsInputsAndOutputs) {
  using MemorySetter = int (*)(ANeuralNetworksExecution*, int32_t, const ANeuralNetworksOperandType*,
                               const ANeuralNetworksMemory*, size_t, size_t);
  const MemoryPointer memory = make_memory(16);
  const std::tuple<MemorySetter, int, int32_t> setters[] = {{ANeuralNetworksExecution_setInputFromMemory, 485, 2},
                                                            {ANeuralNetworksExecution_setOutputFromMemory, 504, 1}};
  for (const auto& [set_function, base, count_value] : setters) {
    const MemorySetter set = set_function;
    const int32_t count = count_value;
    const auto bind = [&](int32_t index, size_t offset, size_t length, bool padding = false) {
      const ExecutionPointer e = fresh();
      EXPECT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(e.get(), padding), kOk);
      return set(e.get(), index, nullptr, memory.get(), offset, length);
    };
    check_cases({
        {base, "execution NULL", kNull, NNVK_CALL(set(nullptr, 0, nullptr, memory.get(), 0, 8))},
        {base + 1, "memory NULL", kNull, NNVK_CALL(set(fresh().get(), 0, nullptr, nullptr, 0, 8))},
        {base + 2, "index -1", kBadData, NNVK_CALL(bind(-1, 0, 8))},
        {base + 3, "index == count", kBadData, NNVK_CALL(bind(count, 0, 8))},
        {base + 4, "past the end", kBadData, NNVK_CALL(bind(0, 9, 8))},
        {base + 5, "0 and 0", kBadData, NNVK_CALL(bind(0, 0, 0))},
        {base + 6, "length short", kBadData, NNVK_CALL(bind(0, 0, 7))},
        {base + 7, "length long", kBadData, NNVK_CALL(bind(0, 0, 9))},
        {base + 8, "long, padding on", kOk, NNVK_CALL(bind(0, 0, 16, true))},
        {base + 9, "long, padding on, past the end", kBadData, NNVK_CALL(bind(0, 8, 9, true))},
        {base + 10, "twice", kBadState,
         [&] {
           const ExecutionPointer e = fresh();
           EXPECT_EQ(set(e.get(), 0, nullptr, memory.get(), 0, 8), kOk);
           return set(e.get(), 0, nullptr, memory.get(), 0, 8);
         }},
        {base + 11, "after compute", kBadState, NNVK_CALL(set(computed().get(), 0, nullptr, memory.get(), 0, 8))},
        {0, "good", kOk, NNVK_CALL(bind(0, 8, 8))},
        {count == 2 ? 529 : 530, "padding afterwards", kBadState,
         [&] {
           const ExecutionPointer e = fresh();
           EXPECT_EQ(set(e.get(), 0, nullptr, memory.get(), 0, 8), kOk);
           return ANeuralNetworksExecution_enableInputAndOutputPadding(e.get(), true);
         }},
    });
  }
}

TEST_F(ExecutionMisuse, Settings) {
  const CompilationPointer automatic = finished(compile_for_all(model_.get()));
  const ExecutionPointer chosen = fresh();
  const ExecutionPointer unchosen = make_execution(automatic.get());
  const ExecutionPointer done = computed();
  const auto padding_after = [&](bool input, bool enable) {
    const ExecutionPointer e = fresh();
    EXPECT_EQ(input ? set_input(e, 0, in_) : set_output(e, 0, out_), kOk);
    return ANeuralNetworksExecution_enableInputAndOutputPadding(e.get(), enable);
  };
  check_cases({
      {526, "padding NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_enableInputAndOutputPadding(nullptr, true))},
      {527, "padding after setInput", kBadState, NNVK_CALL(padding_after(true, true))},
      {528, "padding after setOutput", kBadState, NNVK_CALL(padding_after(false, true))},
      {531, "padding off after setInput", kBadState, NNVK_CALL(padding_after(true, false))},
      {532, "padding after compute", kBadState,
       NNVK_CALL(ANeuralNetworksExecution_enableInputAndOutputPadding(done.get(), true))},
      {533, "reusable NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_setReusable(nullptr, true))},
      {535, "reusable after compute", kBadState, NNVK_CALL(ANeuralNetworksExecution_setReusable(done.get(), true))},
      {536, "reusable on completed reusable", kBadState,
       NNVK_CALL(ANeuralNetworksExecution_setReusable(computed(true).get(), true))},
      {537, "reusable after setInput", kOk,
       [&] {
         const ExecutionPointer e = fresh();
         EXPECT_EQ(ANeuralNetworksExecution_setInput(e.get(), 0, nullptr, in_.data(), 8), kOk);
         return ANeuralNetworksExecution_setReusable(e.get(), true);
       }},
      {538, "measure NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_setMeasureTiming(nullptr, true))},
      {539, "measure without a chosen device", kBadData,
       NNVK_CALL(ANeuralNetworksExecution_setMeasureTiming(unchosen.get(), true))},
      {540, "measure off without a chosen device", kBadData,
       NNVK_CALL(ANeuralNetworksExecution_setMeasureTiming(unchosen.get(), false))},
      {542, "measure after compute", kBadState, NNVK_CALL(ANeuralNetworksExecution_setMeasureTiming(done.get(), true))},
      {544, "timeout NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_setTimeout(nullptr, 1))},
      {545, "timeout without a chosen device", kBadData, NNVK_CALL(ANeuralNetworksExecution_setTimeout(unchosen.get(), 1))},
      {547, "timeout", kOk, NNVK_CALL(ANeuralNetworksExecution_setTimeout(chosen.get(), 1'000'000'000))},
      {548, "timeout UINT64_MAX", kOk, NNVK_CALL(ANeuralNetworksExecution_setTimeout(chosen.get(), UINT64_MAX))},
      {549, "timeout 0", kOk, NNVK_CALL(ANeuralNetworksExecution_setTimeout(chosen.get(), 0))},
      {550, "timeout after compute", kBadState, NNVK_CALL(ANeuralNetworksExecution_setTimeout(done.get(), 1))},
      {552, "loop timeout NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_setLoopTimeout(nullptr, 1))},
      {553, "loop timeout above the maximum", kOk,
       NNVK_CALL(ANeuralNetworksExecution_setLoopTimeout(unchosen.get(), ANeuralNetworks_getMaximumLoopTimeout() + 1))},
      {558, "loop timeout without a loop", kOk, NNVK_CALL(ANeuralNetworksExecution_setLoopTimeout(chosen.get(), 1))},
      {554, "loop timeout UINT64_MAX", kOk, NNVK_CALL(ANeuralNetworksExecution_setLoopTimeout(unchosen.get(), UINT64_MAX))},
      {555, "loop timeout 0", kOk, NNVK_CALL(ANeuralNetworksExecution_setLoopTimeout(unchosen.get(), 0))},
      {557, "loop timeout after compute", kBadState, NNVK_CALL(ANeuralNetworksExecution_setLoopTimeout(done.get(), 1))},
      {559, "attribute NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_addExtensionAttribute(nullptr, "a.b", 1, nullptr, 0))},
      {560, "attribute name NULL", kNull,
       NNVK_CALL(ANeuralNetworksExecution_addExtensionAttribute(chosen.get(), nullptr, 1, nullptr, 0))},
      {561, "attribute data NULL", kNull,
       NNVK_CALL(ANeuralNetworksExecution_addExtensionAttribute(chosen.get(), "a.b", 1, nullptr, 1))},
      {562, "attribute without a chosen device", kBadData,
       NNVK_CALL(ANeuralNetworksExecution_addExtensionAttribute(unchosen.get(), "a.b", 1, nullptr, 0))},
      {564, "attribute after compute", kBadState,
       NNVK_CALL(ANeuralNetworksExecution_addExtensionAttribute(done.get(), "a.b", 1, nullptr, 0))},
      {0, "attribute", kOk, NNVK_CALL(ANeuralNetworksExecution_addExtensionAttribute(chosen.get(), "a.b", 1, nullptr, 0))},
      {565, "attribute twice", kBadData,
       NNVK_CALL(ANeuralNetworksExecution_addExtensionAttribute(chosen.get(), "a.b", 1, nullptr, 0))},
  });
}

TEST_F(ExecutionMisuse, WithoutAChosenDeviceThatIsCheckedBeforeTheState) {
  const CompilationPointer automatic = finished(compile_for_all(model_.get()));
  const ExecutionPointer e = make_execution(automatic.get());
  EXPECT_EQ(ANeuralNetworksExecution_compute(e.get()), kBadData);  // no input or output is set
  check_cases({
      {543, "measure", kBadData, NNVK_CALL(ANeuralNetworksExecution_setMeasureTiming(e.get(), true))},
      {551, "timeout", kBadData, NNVK_CALL(ANeuralNetworksExecution_setTimeout(e.get(), 1))},
      {566, "attribute", kBadData, NNVK_CALL(ANeuralNetworksExecution_addExtensionAttribute(e.get(), "a.b", 1, nullptr, 0))},
      {605, "duration", kBadData,
       [&] {
         const ExecutionPointer fenced = bound(automatic);
         ANeuralNetworksEvent* event = nullptr;
         return ANeuralNetworksExecution_startComputeWithDependencies(fenced.get(), nullptr, 0, 1, &event);
       }},
  });
}

TEST_F(ExecutionMisuse, Compute) {
  const auto missing = [&](bool input) {
    const ExecutionPointer e = fresh();
    EXPECT_EQ(set_input(e, 0, in_), kOk);
    EXPECT_EQ(input ? set_output(e, 0, out_) : set_input(e, 1, in_), kOk);
    return ANeuralNetworksExecution_compute(e.get());
  };
  check_cases({
      {567, "NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_compute(nullptr))},
      {568, "an input not set", kBadData, NNVK_CALL(missing(true))},
      {569, "an output not set", kBadData, NNVK_CALL(missing(false))},
      {570, "again after an input was not set", kBadState,
       [&] {
         const ExecutionPointer e = fresh();
         EXPECT_EQ(ANeuralNetworksExecution_compute(e.get()), kBadData);
         return ANeuralNetworksExecution_compute(e.get());
       }},
      {571, "again", kBadState, NNVK_CALL(ANeuralNetworksExecution_compute(computed().get()))},
      {572, "again, reusable", kOk, NNVK_CALL(ANeuralNetworksExecution_compute(computed(true).get()))},
      {579, "activation 999", ANEURALNETWORKS_OP_FAILED,
       [&] {
         const Compiled add(make_add({2}, 999));
         return compute(bound(add.compilation));
       }},
      {585, "deadline passed", ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT,
       [&] {
         const ExecutionPointer e = bound();
         EXPECT_EQ(ANeuralNetworksExecution_setTimeout(e.get(), 1), kOk);
         return ANeuralNetworksExecution_compute(e.get());
       }},
      {583, "memory that cannot be mapped", ANEURALNETWORKS_UNMAPPABLE,
       [&] {
         const MemoryPointer memory = make_unmappable_memory();
         return ANeuralNetworksExecution_compute(bound_to(memory).get());
       }},
  });
}

TEST_F(ExecutionMisuse, BurstCompute) {
  const BurstPointer burst = make_burst(compilation_);
  const CompilationPointer other = finished(compile_for_one(model_.get()));
  const BurstPointer foreign = make_burst(other);
  const ExecutionPointer e = bound();
  check_cases({
      {593, "execution NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_burstCompute(nullptr, burst.get()))},
      {594, "burst NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_burstCompute(e.get(), nullptr))},
      {595, "other compilation", kBadData, NNVK_CALL(ANeuralNetworksExecution_burstCompute(e.get(), foreign.get()))},
      {0, "still usable", kOk, NNVK_CALL(ANeuralNetworksExecution_burstCompute(e.get(), burst.get()))},
      {597, "an input not set", kBadData, NNVK_CALL(ANeuralNetworksExecution_burstCompute(fresh().get(), burst.get()))},
      {598, "completed", kBadState, NNVK_CALL(ANeuralNetworksExecution_burstCompute(e.get(), burst.get()))},
      {599, "another execution", kOk, NNVK_CALL(ANeuralNetworksExecution_burstCompute(bound().get(), burst.get()))},
  });
  const auto used = [&](const MemoryPointer& memory) {
    BurstPointer made = make_burst(compilation_);
    EXPECT_EQ(ANeuralNetworksExecution_burstCompute(bound_to(memory).get(), made.get()), kOk);
    return made;
  };
  check_cases({
      {656, "freed before its memories", kOk,
       [&] {
         const MemoryPointer memory = make_memory(8);
         used(memory).reset();
         return kOk;
       }},
      {657, "freed after its memories", kOk,
       [&] {
         MemoryPointer memory = make_memory(8);
         const BurstPointer survivor = used(memory);
         memory.reset();
         return ANeuralNetworksExecution_burstCompute(bound().get(), survivor.get());
       }},
  });
}

TEST_F(ExecutionMisuse, ResultsOfComputations) {
  uint64_t duration = 0;
  uint32_t rank = 9;
  uint32_t dimensions[4] = {};
  const ExecutionPointer before = fresh();
  const ExecutionPointer done = computed();
  const ExecutionPointer failed = fresh();
  EXPECT_EQ(ANeuralNetworksExecution_compute(failed.get()), kBadData);
  const CompilationPointer on_cpu = finished(compile_for_cpu(model_.get()));
  const ExecutionPointer timed = bound(on_cpu);
  EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(timed.get(), true), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_compute(timed.get()), kOk);
  check_cases({
      {615, "NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_getDuration(nullptr, 0, &duration))},
      {616, "duration NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_getDuration(done.get(), 0, nullptr))},
      {617, "code -1", kBadData, NNVK_CALL(ANeuralNetworksExecution_getDuration(done.get(), -1, &duration))},
      {618, "code 4", kBadData, NNVK_CALL(ANeuralNetworksExecution_getDuration(done.get(), 4, &duration))},
      {626, "code before state", kBadData, NNVK_CALL(ANeuralNetworksExecution_getDuration(before.get(), 4, &duration))},
      {619, "before compute", kBadState, NNVK_CALL(ANeuralNetworksExecution_getDuration(before.get(), 0, &duration))},
      {621, "after a failure", kBadState, NNVK_CALL(ANeuralNetworksExecution_getDuration(failed.get(), 0, &duration))},
      {623, "not requested", kBadState, NNVK_CALL(ANeuralNetworksExecution_getDuration(done.get(), 0, &duration))},
      {624, "CPU device", kOk, NNVK_CALL(ANeuralNetworksExecution_getDuration(timed.get(), 1, &duration))},
      {627, "NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandRank(nullptr, 0, &rank))},
      {628, "rank NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandRank(done.get(), 0, nullptr))},
      {629, "before compute", kBadState, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandRank(before.get(), 0, &rank))},
      {631, "index -1", kBadData, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandRank(done.get(), -1, &rank))},
      {632, "index 999", kBadData, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandRank(done.get(), 999, &rank))},
      {0, "rank after a failure", kBadState, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandRank(failed.get(), 0, &rank))},
      {0, "rank", kOk, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandRank(done.get(), 0, &rank))},
      {638, "NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandDimensions(nullptr, 0, dimensions))},
      {639, "dimensions NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandDimensions(done.get(), 0, nullptr))},
      {640, "before compute", kBadState,
       NNVK_CALL(ANeuralNetworksExecution_getOutputOperandDimensions(before.get(), 0, dimensions))},
      {642, "index -1", kBadData, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandDimensions(done.get(), -1, dimensions))},
      {643, "index 999", kBadData, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandDimensions(done.get(), 999, dimensions))},
      {0, "dimensions", kOk, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandDimensions(done.get(), 0, dimensions))},
  });
  EXPECT_EQ(duration, UINT64_MAX);
  EXPECT_EQ(rank, 1U);
  EXPECT_EQ(dimensions[0], 2U);
}

}  // namespace
}  // namespace nnvk::test
