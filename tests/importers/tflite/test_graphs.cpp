// Whole graphs: control flow, states, constants in other forms, open dimensions, and the list of refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "importers/tflite/importer.h"
#include "tests/importers/tflite/control_flow_models.h"
#include "tests/importers/tflite/operator_case.h"
#include "tools/nnapi/devices.h"
#include "tools/nnapi/session.h"

namespace nnvk::test {
namespace {

using namespace format;
using importers::tflite::import_graph;
using importers::tflite::read_graph;
using importers::tflite::refusal_summary;
using importers::tflite::refusals;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(TfliteGraphs, AnIfTakesOneOfTwoSubgraphs) {
  expect_computes(choice(), {mask({1}, {1}), one(5)}, {one(6)});
  expect_computes(choice(), {mask({1}, {0}), one(5)}, {one(5)});
}

TEST(TfliteGraphs, ASubgraphThatDoesNotExistIsNamed) {
  EXPECT_THAT(error_of(choice(1, 7)), AllOf(HasSubstr("operator 0 (IF)"), HasSubstr("subgraph 7 of 3 does not exist")));
  EXPECT_THAT(error_of(choice(0, 1)), HasSubstr("subgraph 0 of 3 does not exist"));
}

TEST(TfliteGraphs, AWhileRepeatsItsBody) { expect_computes(loop(), {one(0), one(3), one(4)}, {one(4), one(48), one(4)}); }

TEST(TfliteGraphs, ASubgraphThatContainsItselfIsNamed) {
  EXPECT_THAT(error_of(loop(true)), HasSubstr("subgraph 2 contains itself"));
}

TEST(TfliteGraphs, OutputsMayBeInputsConstantsOrListedTwice) {
  ModelFile file;
  const FileTensor data = real({2}, {1, -2});
  const int x = file.add(data);
  const int y = file.add(real({2}, {}));
  const int fixed_output = file.add(fixed(whole({2}, {7, 8})));
  file.add_operator(BuiltinOperator_NEG, {x}, {y});
  file.end_subgraph({x}, {x, y, fixed_output, y});
  const FileTensor negated = real({2}, {-1, 2});
  expect_computes(file.finish(), {data}, {data, negated, whole({2}, {7, 8}), negated});
}

TEST(TfliteGraphs, OneTensorMayBeReadTwiceAndAnInputListedTwice) {
  ModelFile file;
  const FileTensor data = real({2}, {3, -2});
  const int x = file.add(data);
  const int y = file.add(real({2}, {}));
  file.add_operator(BuiltinOperator_MUL, {x, x}, {y});
  file.end_subgraph({x, x}, {y});
  expect_computes(file.finish(), {data, data}, {real({2}, {9, 4})});
}

TEST(TfliteGraphs, NumbersOfMasksAndLongIntegersPassThrough) {
  ModelFile file;
  FileTensor wide = whole({2}, {-5, 6});
  wide.type = TensorType_INT64;
  const int x = file.add(wide);
  file.end_subgraph({x}, {x});
  const auto bytes = file.finish();
  expect_computes(bytes, {wide}, {wide});
  const auto graph = read_graph(bytes);
  ASSERT_TRUE(graph);
  const auto model = import_graph(*graph);
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->inputs[0].wide);
  EXPECT_FALSE(model->inputs[0].scalar);
}

// SHAPE, STRIDED_SLICE and PACK give the shape of a FILL, as converters write `ones_like` of a batch.
TEST(TfliteGraphs, ShapesAreComputedBeforeAnExecution) {
  ModelFile file;
  const auto slice = CreateStridedSliceOptions(file.builder(), 0, 0, 0, 0, 1, false).Union();
  const auto pack = CreatePackOptions(file.builder(), 2, 0).Union();
  const FileTensor data = real({3, 2}, {1, 2, 3, 4, 5, 6});
  const int x = file.add(data);
  const int shape = file.add(whole({2}, {}));
  const int rows = file.add(whole({}, {}));
  const int both = file.add(whole({2}, {}));
  const int filled = file.add(real({3, 2}, {}));
  const int sum = file.add(real({3, 2}, {}));
  const auto list = [&](float value) { return file.add(fixed(whole({1}, {value}))); };
  file.add_operator(BuiltinOperator_SHAPE, {x}, {shape});
  file.add_operator(BuiltinOperator_STRIDED_SLICE, {shape, list(0), list(1), list(1)}, {rows},
                    {BuiltinOptions_StridedSliceOptions, slice});
  file.add_operator(BuiltinOperator_PACK, {rows, file.add(fixed(whole({}, {2})))}, {both}, {BuiltinOptions_PackOptions, pack});
  file.add_operator(BuiltinOperator_FILL, {both, file.add(fixed(real({}, {10})))}, {filled});
  file.add_operator(BuiltinOperator_ADD, {x, filled}, {sum});
  file.end_subgraph({x}, {sum, shape});
  expect_computes(file.finish(), {data}, {real({3, 2}, {11, 12, 13, 14, 15, 16}), whole({2}, {3, 2})});
}

// A dense layer with open batch, whose shape is computed for a RESHAPE.
std::vector<uint8_t> open_batch() {
  ModelFile file;
  const auto dense = CreateFullyConnectedOptions(file.builder(), Activation_NONE).Union();
  const auto open = [](FileTensor tensor) {
    tensor.signature = tensor.shape;
    tensor.signature[0] = -1;
    return tensor;
  };
  const int x = file.add(open(real({1, 2, 2}, {})));
  const int shape = file.add(whole({3}, {}));
  const int flat = file.add(open(real({1, 4}, {})));
  const int y = file.add(open(real({1, 1}, {})));
  file.add_operator(BuiltinOperator_SHAPE, {x}, {shape});
  file.add_operator(BuiltinOperator_RESHAPE, {x, shape}, {flat});
  file.add_operator(BuiltinOperator_FULLY_CONNECTED, {flat, file.add(fixed(real({1, 4}, {1, 2, 3, 4})))}, {y},
                    {BuiltinOptions_FullyConnectedOptions, dense});
  file.end_subgraph({x}, {y});
  return file.finish();
}

TEST(TfliteGraphs, AnOpenBatchHasTheFilesSizeUnlessItIsToStayOpen) {
  const auto graph = read_graph(open_batch());
  ASSERT_TRUE(graph) << graph.error().message;
  const auto sized = import_graph(*graph);
  ASSERT_TRUE(sized) << sized.error().message;
  EXPECT_THAT(sized->inputs[0].info.dimensions, ::testing::ElementsAre(1, 2, 2));
  const auto open = import_graph(*graph, {.open_dimensions = true});
  ASSERT_TRUE(open) << open.error().message;
  EXPECT_THAT(open->inputs[0].info.dimensions, ::testing::ElementsAre(0, 2, 2));
  EXPECT_THAT(open->outputs[0].info.dimensions, ::testing::ElementsAre(0, 1));
}

TEST(TfliteGraphs, AnOpenBatchRunsWithAnySize) {
  const auto graph = read_graph(open_batch());
  ASSERT_TRUE(graph);
  const auto model = import_graph(*graph, {.open_dimensions = true});
  ASSERT_TRUE(model) << model.error().message;
  ANeuralNetworksCompilation* compilation = nullptr;
  const auto device = tools::find_device("nnvk-cpu");
  ASSERT_TRUE(device);
  ASSERT_EQ(ANeuralNetworksCompilation_createForDevices(model->builder.model(), &device->handle, 1, &compilation), 0);
  const tools::CompilationHandle owner(compilation);
  ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation), 0);
  for (const uint32_t batch : {1U, 3U}) {
    ANeuralNetworksExecution* execution = nullptr;
    ASSERT_EQ(ANeuralNetworksExecution_create(compilation, &execution), 0);
    const tools::ExecutionHandle run(execution);
    std::vector<float> in(batch * 4, 1), out(batch);
    in.back() = 2;
    const uint32_t sizes[] = {batch, 2, 2};
    const ANeuralNetworksOperandType type{ANEURALNETWORKS_TENSOR_FLOAT32, 3, sizes, 0, 0};
    ASSERT_EQ(ANeuralNetworksExecution_setInput(execution, 0, &type, in.data(), in.size() * sizeof(float)), 0);
    ASSERT_EQ(ANeuralNetworksExecution_setOutput(execution, 0, nullptr, out.data(), out.size() * sizeof(float)), 0);
    ASSERT_EQ(ANeuralNetworksExecution_compute(execution), 0);
    EXPECT_EQ(out.front(), batch == 1 ? 14 : 10);
    EXPECT_EQ(out.back(), 14);
  }
}

// A sparse weight matrix [2, 4] with blocks of two columns: rows are compressed, the stored blocks are (0, 1) and (1, 0).
std::vector<uint8_t> sparse_layer(std::vector<int32_t> segments, std::vector<int32_t> indices, size_t stored = 4) {
  ModelFile file;
  auto& builder = file.builder();
  const auto dense = CreateFullyConnectedOptions(builder, Activation_NONE).Union();
  const auto rows = CreateDimensionMetadata(builder, DimensionType_DENSE, 2);
  const auto starts = CreateInt32Vector(builder, builder.CreateVector(segments)).Union();
  const std::vector<uint8_t> small(indices.begin(), indices.end());
  builder.ForceVectorAlignment(small.size(), 1, 4);
  const auto columns = CreateUint8Vector(builder, builder.CreateVector(small)).Union();
  const auto blocks = CreateDimensionMetadata(builder, DimensionType_SPARSE_CSR, 0, IndexVector_Int32Vector, starts,
                                              IndexVector_Uint8Vector, columns);
  const auto inside = CreateDimensionMetadata(builder, DimensionType_DENSE, 2);
  const std::vector<flatbuffers::Offset<DimensionMetadata>> dimensions{rows, blocks, inside};
  const auto list = builder.CreateVector(dimensions);
  const auto order = builder.CreateVector(std::vector<int32_t>{0, 1, 2});
  const auto map = builder.CreateVector(std::vector<int32_t>{1});
  FileTensor weights = fixed(real({2, 4}, {1, 2, 3, 4}));
  weights.values.resize(stored, 9);
  weights.sparsity = CreateSparsity(builder, order, map, list);
  const int x = file.add(real({1, 4}, {}));
  const int y = file.add(real({1, 2}, {}));
  file.add_operator(BuiltinOperator_FULLY_CONNECTED, {x, file.add(weights)}, {y}, {BuiltinOptions_FullyConnectedOptions, dense});
  file.end_subgraph({x}, {y});
  return file.finish();
}

TEST(TfliteGraphs, SparseConstantsAreDensified) {
  // The matrix is [[0, 0, 1, 2], [3, 4, 0, 0]].
  expect_computes(sparse_layer({0, 1, 2}, {1, 0}), {real({1, 4}, {1, 10, 100, 1000})}, {real({1, 2}, {2100, 43})});
}

TEST(TfliteGraphs, DamagedSparsityIsNamed) {
  for (const auto& file :
       {sparse_layer({0, 1}, {1, 0}), sparse_layer({0, 2, 1}, {1, 0}), sparse_layer({0, 1, 9}, {1, 0}),
        sparse_layer({0, 1, 2}, {1, 2}), sparse_layer({0, 1, 2}, {1, 0}, 3), sparse_layer({0, 1, 2}, {1, 0}, 6)}) {
    EXPECT_THAT(error_of(file), AllOf(HasSubstr("operator 0 (FULLY_CONNECTED)"), HasSubstr("sparsity is damaged")));
  }
}

TEST(TfliteGraphs, StatesBecomeInputsAndOutputsIfTheyAreKept) {
  const auto cases = recurrent_cases();
  size_t with_states = 0;
  for (const OperatorCase& recurrent : cases) {
    size_t variables = 0;
    for (const FileTensor& input : recurrent.inputs) variables += input.variable ? 1 : 0;
    const auto graph = read_graph(file_of(recurrent));
    ASSERT_TRUE(graph);
    const auto model = import_graph(*graph, {.keep_states = true});
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->states.size(), variables);
    for (const auto& state : model->states) {
      EXPECT_EQ(model->inputs[state.input].info.dimensions, model->outputs[state.output].info.dimensions);
    }
    with_states += variables > 0 ? 1 : 0;
    EXPECT_EQ(import_graph(*graph)->states.size(), 0U);
  }
  EXPECT_GE(with_states, 7U);
}

// Runs a model with one input per state behind its own, and returns all outputs.
std::vector<std::vector<uint8_t>> outputs_of(const importers::ImportedModel& model,
                                             const std::vector<std::vector<uint8_t>>& inputs) {
  const auto device = tools::find_device("nnvk-cpu");
  auto session = tools::Session::compile(model.builder, std::span(&*device, 1), model.operation_origins);
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  for (size_t i = 0; i < inputs.size(); ++i) std::ranges::copy(inputs[i], session->input(i).begin());
  const auto ran = session->run();
  EXPECT_TRUE(ran) << ran.error().message;
  std::vector<std::vector<uint8_t>> outputs;
  for (size_t i = 0; i < model.outputs.size(); ++i) outputs.emplace_back(session->output(i).begin(), session->output(i).end());
  return outputs;
}

TEST(TfliteGraphs, KeptStatesContinueASequence) {
  for (const BuiltinOperator code : {BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM, BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_RNN}) {
    const auto cases = recurrent_cases();
    const auto whole = std::ranges::find(cases, code, &OperatorCase::code);
    ASSERT_NE(whole, cases.end());
    // The first row of the batch, one step at a time.
    OperatorCase step = *whole;
    step.inputs[0].shape = {1, 1, 3};
    step.outputs[0].shape = {1, 1, 2};
    for (FileTensor& input : step.inputs) {
      if (input.variable) input.shape[0] = 1;
    }
    const auto graph = read_graph(file_of(step));
    ASSERT_TRUE(graph);
    const auto model = import_graph(*graph, {.keep_states = true});
    ASSERT_TRUE(model) << model.error().message;
    std::vector<std::vector<uint8_t>> inputs(model->inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) inputs[i].resize(model->inputs[i].info.bytes());
    for (size_t t = 0; t < 3; ++t) {
      std::memcpy(inputs[0].data(), &whole->inputs[0].values[t * 3], inputs[0].size());
      const auto outputs = outputs_of(*model, inputs);
      ASSERT_EQ(outputs.size(), model->outputs.size());
      float result[2];
      std::memcpy(result, outputs[0].data(), sizeof result);
      for (size_t u = 0; u < 2; ++u) EXPECT_NEAR(result[u], whole->outputs[0].values[t * 2 + u], 1e-5) << code << ", step " << t;
      for (const auto& state : model->states) inputs[state.input] = outputs[state.output];
    }
  }
}

// A model of one operator imports if and only if the dry run has no reason against the operator.
TEST(TfliteGraphs, TheDryRunAgreesWithTheImport) {
  for (const OperatorCase& one : operator_cases()) {
    const auto graph = read_graph(file_of(one));
    ASSERT_TRUE(graph);
    for (const importers::ImportOptions& options :
         {importers::ImportOptions{}, importers::ImportOptions{.keep_states = true}, importers::ImportOptions{.relaxed = true}}) {
      const auto refused = refusals(*graph, options);
      ASSERT_TRUE(refused);
      EXPECT_EQ((*refused)[0].has_value(), !import_graph(*graph, options)) << graph->operators[0].where << " " << one.name;
    }
  }
}

TEST(TfliteGraphs, AllReasonsAgainstAModelAreListedWithCounts) {
  ModelFile file;
  const int x = file.add(real({2}, {}));
  int last = x;
  const auto then = [&](BuiltinOperator code, std::vector<int> inputs) {
    const int result = file.add(real({2}, {}));
    file.add_operator(code, inputs, {result});
    last = result;
  };
  constexpr auto kUnique = static_cast<BuiltinOperator>(103);
  then(kUnique, {last});
  then(BuiltinOperator_NEG, {last});
  then(BuiltinOperator_ADD, {last, -1});
  then(kUnique, {last});
  file.end_subgraph({x}, {last});
  const auto graph = read_graph(file.finish());
  ASSERT_TRUE(graph);
  const auto refused = refusals(*graph);
  ASSERT_TRUE(refused);
  ASSERT_EQ(refused->size(), 4U);
  EXPECT_TRUE((*refused)[0] && !(*refused)[1] && (*refused)[2] && (*refused)[3]);
  const std::string expected =
      "3 operators cannot be imported: 2 x UNIQUE (NNAPI has no such operation), 1 x ADD (input 1 is missing)";
  EXPECT_EQ(refusal_summary(*graph, *refused), expected);
  const auto model = import_graph(*graph);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().message, expected);
  EXPECT_EQ(refusal_summary(*graph, {{}, {}, {}, {}}), "");
}

TEST(TfliteGraphs, ARefusedOperatorIsNamedWithItsReason) {
  ModelFile file;
  const int x = file.add(real({2}, {}));
  const int y = file.add(real({2}, {}));
  file.add_operator(static_cast<BuiltinOperator>(103), {x}, {y});
  file.end_subgraph({x}, {y});
  EXPECT_EQ(error_of(file.finish()), "operator 0 (UNIQUE): NNAPI has no such operation");
}

}  // namespace
}  // namespace nnvk::test
