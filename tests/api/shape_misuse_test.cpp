// Types given with inputs and outputs, against models that leave shapes open.
#include "tests/api/api_objects.h"
#include "tests/api/misuse_table.h"

namespace nnvk::test {
namespace {

constexpr int32_t kFloat = ANEURALNETWORKS_TENSOR_FLOAT32;

// y = RELU(x), both of these dimensions; empty: of unknown rank.
struct Relu {
  explicit Relu(const std::vector<uint32_t>& dims) {
    const uint32_t x = model.operand(kFloat, dims);
    const uint32_t y = model.operand(kFloat, dims);
    EXPECT_EQ(model.operation(ANEURALNETWORKS_RELU, {x}, {y}), kOk);
    EXPECT_EQ(model.identify({x}, {y}), kOk);
    EXPECT_EQ(model.finish(), kOk);
    compilation = finished(compile_for_one(model.get()));
  }

  // Binds 24 bytes as the input or the output, with a type of these dimensions.
  int bind(bool input, const std::vector<uint32_t>& dims, size_t length = 24) const {
    const TypeOf type(kFloat, dims);
    return bind_as(input, type.get(), length);
  }
  int bind_as(bool input, const ANeuralNetworksOperandType* type, size_t length = 24) const {
    std::array<float, 16> data{};
    const ExecutionPointer e = make_execution(compilation.get());
    return input ? ANeuralNetworksExecution_setInput(e.get(), 0, type, data.data(), length)
                 : ANeuralNetworksExecution_setOutput(e.get(), 0, type, data.data(), length);
  }

  ModelBuilder model;
  CompilationPointer compilation;
};

// Rows 458 to 479 come in pairs: setInput, then setOutput.
TEST(ShapeMisuse, TypesOfInputsAndOutputs) {
  const Relu full({2, 3});
  const Relu open({0, 3});
  const Relu unranked({});
  const std::vector<uint32_t> none;
  for (const bool input : {true, false}) {
    const int shift = input ? 0 : 1;
    const int open_output = input ? kBadData : kOk;
    check_cases({
        {458 + shift, "full, a dimension 0", kBadData, NNVK_CALL(full.bind(input, {0, 3}))},
        {460 + shift, "full, unknown rank", kBadData, NNVK_CALL(full.bind(input, none))},
        {462 + shift, "open, agrees", kOk, NNVK_CALL(open.bind(input, {2, 3}))},
        {464 + shift, "open, contradicts", kBadData, NNVK_CALL(open.bind(input, {3, 2}))},
        {466 + shift, "open, other rank", kBadData, NNVK_CALL(open.bind(input, {6}))},
        {468 + shift, "open, unknown rank", kBadData, NNVK_CALL(open.bind(input, none))},
        {470 + shift, "open, a dimension 0", open_output, NNVK_CALL(open.bind(input, {0, 3}))},
        {472 + shift, "unranked, no type", open_output, NNVK_CALL(unranked.bind_as(input, nullptr))},
        {474 + shift, "unranked, full", kOk, NNVK_CALL(unranked.bind(input, {2, 3}))},
        {476 + shift, "unranked, a dimension 0", open_output, NNVK_CALL(unranked.bind(input, {0, 3}))},
        {478 + shift, "unranked, unknown rank", open_output, NNVK_CALL(unranked.bind(input, none))},
    });
  }
  check_cases({
      {480, "input of open shape, no type", kBadData, NNVK_CALL(open.bind_as(true, nullptr))},
      {481, "input of open shape, the type is open", kBadData, NNVK_CALL(open.bind(true, {0, 3}))},
      {482, "omitted input of open shape", kOk,
       NNVK_CALL(ANeuralNetworksExecution_setInput(make_execution(open.compilation.get()).get(), 0, nullptr, nullptr, 0))},
      {483, "output of open shape, no type, any length", kOk, NNVK_CALL(open.bind_as(false, nullptr, 5))},
      {484, "output of unknown rank, too short for the type", kBadData, NNVK_CALL(unranked.bind(false, {2, 3}, 20))},
  });
}

TEST(ShapeMisuse, MemoriesAndOpenShapes) {
  const Relu open({0, 3});
  const MemoryPointer memory = make_memory(24);
  const ExecutionPointer e = make_execution(open.compilation.get());
  check_cases({{524, "input of open shape", kBadData,
                NNVK_CALL(ANeuralNetworksExecution_setInputFromMemory(e.get(), 0, nullptr, memory.get(), 0, 24))}});
}

// Computes RELU of {2, 3} into `output` (nullptr, 0: omitted) with this type for the output.
int compute(const Relu& relu, const ANeuralNetworksOperandType* output_type, float* output, size_t length) {
  const std::array<float, 6> in{1, 2, 3, 4, 5, 6};
  const TypeOf type(kFloat, {2, 3});
  const ExecutionPointer e = make_execution(relu.compilation.get());
  EXPECT_EQ(ANeuralNetworksExecution_setInput(e.get(), 0, type.get(), in.data(), sizeof in), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(e.get(), 0, output_type, output, length), kOk);
  return ANeuralNetworksExecution_compute(e.get());
}

TEST(ShapeMisuse, OutputsThatTurnOutDifferent) {
  const Relu open({0, 3});
  std::array<float, 12> out{};
  const TypeOf taller(kFloat, {4, 3});
  check_cases({
      {576, "buffer too small", kTooSmall, NNVK_CALL(compute(open, nullptr, out.data(), 20))},
      {577, "large buffer", kOk, NNVK_CALL(compute(open, nullptr, out.data(), sizeof out))},
      {584, "other dimensions than declared", kFailed, NNVK_CALL(compute(open, taller.get(), out.data(), sizeof out))},
  });
  EXPECT_EQ(out[5], 6.0F);
}

// TILE makes 2^33 bytes of four: more than a tensor may have.
TEST(ShapeMisuse, AnOutputOfMoreThan4GiB) {
  ModelBuilder model;
  const uint32_t x = model.operand(kFloat, {1, 1});
  const uint32_t multiples = model.operand(ANEURALNETWORKS_TENSOR_INT32, {2});
  const uint32_t y = model.operand(kFloat, {0, 0});
  ASSERT_EQ(model.operation(ANEURALNETWORKS_TILE, {x, multiples}, {y}), kOk);
  ASSERT_EQ(model.identify({x, multiples}, {y}), kOk);
  ASSERT_EQ(model.finish(), kOk);
  const CompilationPointer compilation = finished(compile_for_one(model.get()));
  const ExecutionPointer e = make_execution(compilation.get());
  const float one = 1.0F;
  const int32_t many[] = {65536, 32768};
  float out[4] = {};
  ASSERT_EQ(ANeuralNetworksExecution_setInput(e.get(), 0, nullptr, &one, sizeof one), kOk);
  ASSERT_EQ(ANeuralNetworksExecution_setInput(e.get(), 1, nullptr, many, sizeof many), kOk);
  ASSERT_EQ(ANeuralNetworksExecution_setOutput(e.get(), 0, nullptr, out, sizeof out), kOk);
  check_cases({{578, "2^33 bytes", kFailed, NNVK_CALL(ANeuralNetworksExecution_compute(e.get()))}});
}

TEST(ShapeMisuse, OmittedInputsAndOutputs) {
  const Relu relu({2, 3});
  const Relu open({0, 3});
  const std::array<float, 6> in{};
  std::array<float, 6> out{};
  const TypeOf type(kFloat, {2, 3});
  const ExecutionPointer without_input = make_execution(relu.compilation.get());
  ASSERT_EQ(ANeuralNetworksExecution_setInput(without_input.get(), 0, nullptr, nullptr, 0), kOk);
  ASSERT_EQ(ANeuralNetworksExecution_setOutput(without_input.get(), 0, nullptr, out.data(), sizeof out), kOk);
  const ExecutionPointer without_output = make_execution(open.compilation.get());
  ASSERT_EQ(ANeuralNetworksExecution_setInput(without_output.get(), 0, type.get(), in.data(), sizeof in), kOk);
  ASSERT_EQ(ANeuralNetworksExecution_setOutput(without_output.get(), 0, nullptr, nullptr, 0), kOk);
  ANeuralNetworksEvent* event = nullptr;
  uint32_t rank = 0;
  uint32_t dimensions[2] = {};
  check_cases({
      {580, "a required input omitted", kFailed, NNVK_CALL(ANeuralNetworksExecution_compute(without_input.get()))},
      {609, "an output of open shape omitted", kOk,
       NNVK_CALL(ANeuralNetworksExecution_startComputeWithDependencies(without_output.get(), nullptr, 0, 0, &event))},
  });
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(ANeuralNetworksEvent_wait(event), kOk);
  ANeuralNetworksEvent_free(event);
  check_cases({
      {637, "rank of an omitted output", kBadData,
       NNVK_CALL(ANeuralNetworksExecution_getOutputOperandRank(without_output.get(), 0, &rank))},
      {648, "dimensions of an omitted output", kBadData,
       NNVK_CALL(ANeuralNetworksExecution_getOutputOperandDimensions(without_output.get(), 0, dimensions))},
  });
}

// Two outputs of open shape, of which the first got a buffer that is too small.
TEST(ShapeMisuse, QueriesAfterABufferWasTooSmall) {
  ModelBuilder model;
  const uint32_t x = model.operand(kFloat, {0, 3});
  const uint32_t y = model.operand(kFloat, {0, 3});
  const uint32_t z = model.operand(kFloat, {0, 3});
  ASSERT_EQ(model.operation(ANEURALNETWORKS_RELU, {x}, {y}), kOk);
  ASSERT_EQ(model.operation(ANEURALNETWORKS_TANH, {x}, {z}), kOk);
  ASSERT_EQ(model.identify({x}, {y, z}), kOk);
  ASSERT_EQ(model.finish(), kOk);
  const CompilationPointer compilation = finished(compile_for_one(model.get()));
  const std::array<float, 6> in{};
  std::array<float, 6> small{};
  std::array<float, 6> large{};
  const TypeOf type(kFloat, {2, 3});
  const auto bound = [&] {
    ExecutionPointer e = make_execution(compilation.get());
    EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(e.get(), true), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_setInput(e.get(), 0, type.get(), in.data(), sizeof in), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_setOutput(e.get(), 0, nullptr, small.data(), 12), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_setOutput(e.get(), 1, nullptr, large.data(), sizeof large), kOk);
    return e;
  };
  const ExecutionPointer e = bound();
  EXPECT_EQ(ANeuralNetworksExecution_compute(e.get()), kTooSmall);
  uint64_t duration = 0;
  uint32_t ranks[2] = {};
  uint32_t dimensions[2][2] = {};
  check_cases({
      {622, "duration", kBadState, NNVK_CALL(ANeuralNetworksExecution_getDuration(e.get(), 0, &duration))},
      {634, "rank of the small one", kTooSmall, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandRank(e.get(), 0, &ranks[0]))},
      {635, "rank of the large one", kOk, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandRank(e.get(), 1, &ranks[1]))},
      {645, "dimensions of the small one", kTooSmall,
       NNVK_CALL(ANeuralNetworksExecution_getOutputOperandDimensions(e.get(), 0, dimensions[0]))},
      {646, "dimensions of the large one", kOk,
       NNVK_CALL(ANeuralNetworksExecution_getOutputOperandDimensions(e.get(), 1, dimensions[1]))},
      {664, "wait", kTooSmall,
       [&] {
         const ExecutionPointer started = bound();
         ANeuralNetworksEvent* event = nullptr;
         EXPECT_EQ(ANeuralNetworksExecution_startCompute(started.get(), &event), kOk);
         const int result = ANeuralNetworksEvent_wait(event);
         ANeuralNetworksEvent_free(event);
         return result;
       }},
  });
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ranks[i], 2U);
    EXPECT_EQ(dimensions[i][0], 2U);
    EXPECT_EQ(dimensions[i][1], 3U);
  }
}

TEST(ShapeMisuse, AScalarOutputHasRankZero) {
  ModelBuilder model;
  const uint32_t x = model.operand(kFloat, {2, 3});
  const uint32_t rank_operand = model.operand(ANEURALNETWORKS_INT32);
  ASSERT_EQ(model.operation(ANEURALNETWORKS_RANK, {x}, {rank_operand}), kOk);
  ASSERT_EQ(model.identify({x}, {rank_operand}), kOk);
  ASSERT_EQ(model.finish(), kOk);
  const CompilationPointer compilation = finished(compile_for_one(model.get()));
  const ExecutionPointer e = make_execution(compilation.get());
  const std::array<float, 6> in{};
  int32_t out = 0;
  ASSERT_EQ(ANeuralNetworksExecution_setInput(e.get(), 0, nullptr, in.data(), sizeof in), kOk);
  ASSERT_EQ(ANeuralNetworksExecution_setOutput(e.get(), 0, nullptr, &out, sizeof out), kOk);
  ASSERT_EQ(ANeuralNetworksExecution_compute(e.get()), kOk);
  EXPECT_EQ(out, 2);
  uint32_t rank = 9;
  uint32_t dimensions[4] = {};
  check_cases({
      {649, "dimensions", kBadData, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandDimensions(e.get(), 0, dimensions))},
      {650, "rank", kOk, NNVK_CALL(ANeuralNetworksExecution_getOutputOperandRank(e.get(), 0, &rank))},
  });
  EXPECT_EQ(rank, 0U);
}

}  // namespace
}  // namespace nnvk::test
