// Types passed with inputs and outputs, for models that leave shapes open.
#include "tests/api/api_objects.h"
#include "tests/api/misuse_table.h"

namespace nnvk::test {
namespace {

// y = RELU(x), both of these dimensions; empty: of unknown rank.
struct Relu : Compiled {
  explicit Relu(const std::vector<uint32_t>& dims) : Compiled(make_unary(ANEURALNETWORKS_RELU, kFloat, dims)) {}

  // Binds 24 bytes as the input or the output, with a type of these dimensions.
  int bind(bool input, const std::vector<uint32_t>& dims, size_t length = 24) const {
    const TypeOf type(kFloat, dims);
    return bind_as(input, type.get(), length);
  }
  int bind_as(bool input, const ANeuralNetworksOperandType* type, size_t length = 24) const {
    std::array<float, 16> data{};
    const auto bytes = std::as_writable_bytes(std::span(data)).first(length);
    const ExecutionPointer e = make_execution(compilation.get());
    return input ? set_input(e, 0, {bytes, type}) : set_output(e, 0, {bytes, type});
  }
};

// Rows 458 to 479 are pairs: setInput, then setOutput.
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
      {482, "omitted input of open shape", kOk, NNVK_CALL(set_input(make_execution(open.compilation.get()), 0, {}))},
      {483, "output of open shape, no type, any length", kOk, NNVK_CALL(open.bind_as(false, nullptr, 5))},
      {484, "output of unknown rank, too short for the type", kBadData, NNVK_CALL(unranked.bind(false, {2, 3}, 20))},
  });
}

TEST(ShapeMisuse, MemoriesAndOpenShapes) {
  const Relu open({0, 3});
  const MemoryPointer memory = make_memory(24);
  const ExecutionPointer e = make_execution(open.compilation.get());
  check_cases({{524, "input of open shape", kBadData, NNVK_CALL(set_input(e, 0, {memory, 0, 24}))}});
}

TEST(ShapeMisuse, OutputsThatTurnOutDifferent) {
  const Relu open({0, 3});
  const std::array<float, 6> in{1, 2, 3, 4, 5, 6};
  std::array<float, 12> out{};
  const TypeOf type(kFloat, {2, 3});
  const TypeOf taller(kFloat, {4, 3});
  const auto compute_into = [&](const Output& output) {
    return compute(make_execution(open.compilation, {{in, type.get()}}, {output}));
  };
  check_cases({
      {576, "buffer too small", kTooSmall, NNVK_CALL(compute_into(std::span(out).first(5)))},
      {577, "large buffer", kOk, NNVK_CALL(compute_into(out))},
      {584, "other dimensions than declared", kFailed, NNVK_CALL(compute_into({out, taller.get()}))},
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
  model.finish({x, multiples}, {y});
  const CompilationPointer compilation = finished(compile_for_one(model.get()));
  const float one = 1.0F;
  const int32_t many[] = {65536, 32768};
  float out[4] = {};
  const ExecutionPointer e = make_execution(compilation, {one, many}, {out});
  check_cases({{578, "2^33 bytes", kFailed, NNVK_CALL(compute(e))}});
}

TEST(ShapeMisuse, OmittedInputsAndOutputs) {
  const Relu relu({2, 3});
  const Relu open({0, 3});
  const std::array<float, 6> in{};
  std::array<float, 6> out{};
  const TypeOf type(kFloat, {2, 3});
  const ExecutionPointer without_input = make_execution(relu.compilation, {{}}, {out});
  const ExecutionPointer without_output = make_execution(open.compilation, {{in, type.get()}}, {{}});
  uint32_t rank = 0;
  uint32_t dimensions[2] = {};
  check_cases({
      {580, "a required input omitted", kFailed, NNVK_CALL(compute(without_input))},
      {609, "an output of open shape omitted", kOk, NNVK_CALL(wait(start_fenced(without_output)))},
  });
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
  model.finish({x}, {y, z});
  const CompilationPointer compilation = finished(compile_for_one(model.get()));
  const std::array<float, 6> in{};
  std::array<float, 6> small{};
  std::array<float, 6> large{};
  const TypeOf type(kFloat, {2, 3});
  const auto bound = [&] {
    ExecutionPointer e = make_execution(compilation, {{in, type.get()}}, {std::span(small).first(3), large});
    EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(e.get(), true), kOk);
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
         return wait(start(started));
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
  model.finish({x}, {rank_operand});
  const CompilationPointer compilation = finished(compile_for_one(model.get()));
  const std::array<float, 6> in{};
  int32_t out = 0;
  const ExecutionPointer e = make_execution(compilation, {in}, {out});
  ASSERT_EQ(compute(e), kOk);
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
