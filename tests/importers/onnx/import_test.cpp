// Shapes, types, ports and the order of nodes of imported graphs.
#include <gmock/gmock.h>

#include "tests/importers/onnx/graph_builder.h"

namespace nnvk::importers::onnx {
namespace {

using ::testing::ElementsAre;

using Shape = std::vector<uint32_t>;

TEST(OnnxImport, OpenDimensionsStayOpenAndOthersAreInferred) {
  GraphBuilder builder;
  const int x = builder.input({-1, 3, 8, -1});
  const int w = builder.floats({4, 3, 3, 3}, std::vector<float>(108));
  const int y = builder.node("Conv", {x, w}, {ints("pads", {1, 1, 1, 1}), ints("strides", {2, 2})});
  const auto model = import_graph(builder.take({y}), {});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->inputs[0].info.dimensions, Shape({0, 3, 8, 0}));
  EXPECT_EQ(model->outputs[0].info.dimensions, Shape({0, 4, 4, 0}));
}

TEST(OnnxImport, AnNchwNetworkGetsNoTransposition) {
  GraphBuilder builder;
  const int x = builder.input({1, 3, 8, 8});
  int y = builder.node("Conv", {x, builder.floats({8, 3, 3, 3}, std::vector<float>(216))}, {ints("pads", {1, 1, 1, 1})});
  y = builder.node("Relu", {y});
  y = builder.node("Conv", {y, builder.floats({8, 1, 3, 3}, std::vector<float>(72))},
                   {ints("pads", {1, 1, 1, 1}), integer("group", 8)});
  y = builder.node("MaxPool", {y}, {ints("kernel_shape", {2, 2}), ints("strides", {2, 2})});
  y = builder.node("GlobalAveragePool", {y});
  EXPECT_THAT(operations_of(builder.take({y})), ElementsAre("CONV_2D", "RELU", "DEPTHWISE_CONV_2D", "MAX_POOL_2D", "MEAN"));
}

// NNAPI wants the channels last. For windows of one pixel the order of the bytes is the same.
TEST(OnnxImport, WeightsOfSinglePixelsStayWhereTheGraphHasThem) {
  GraphBuilder builder;
  const int x = builder.input({1, 3, 8, 8});
  const int w = builder.floats({4, 3, 1, 1}, std::vector<float>(12));
  const Graph graph = builder.take({builder.node("Conv", {x, w})});
  const auto model = import_graph(graph, {});
  ASSERT_TRUE(model) << model.error().message;
  ASSERT_EQ(model->builder.operations().size(), 1U);
  const uint32_t weights = model->builder.operations()[0].inputs[1];
  EXPECT_EQ(model->builder.operand(weights).dimensions, Shape({4, 1, 1, 3}));
  EXPECT_EQ(static_cast<const void*>(model->builder.value(weights).data()), graph.values[static_cast<size_t>(w)].data.data());
}

TEST(OnnxImport, WideAndScalarPortsSayWhatTheGraphDeclares) {
  GraphBuilder builder;
  const int x = builder.input({}, ElementType::kInt64);
  const int y = builder.node("Add", {x, builder.constant<int64_t>(ElementType::kInt64, {}, {3})});
  builder.graph().values[static_cast<size_t>(y)].type = ElementType::kInt64;
  const auto model = import_graph(builder.take({y}), {});
  ASSERT_TRUE(model) << model.error().message;
  for (const Port* port : {&model->inputs[0], &model->outputs[0]}) {
    EXPECT_TRUE(port->wide);
    EXPECT_TRUE(port->scalar);
    EXPECT_EQ(port->info.type, ANEURALNETWORKS_TENSOR_INT32);
    EXPECT_EQ(port->info.dimensions, Shape({1}));
  }
}

TEST(OnnxImport, NodesMayStandInAnyOrder) {
  GraphBuilder builder;
  const int x = builder.input({2});
  const int a = builder.node("Abs", {x});
  const int b = builder.node("Neg", {a});
  std::swap(builder.graph().nodes[0], builder.graph().nodes[1]);
  EXPECT_THAT(operations_of(builder.take({b})), ElementsAre("ABS", "NEG"));
}

TEST(OnnxImport, AnOutputThatIsAnInputOrAConstantOrListedTwiceIsCopied) {
  GraphBuilder builder;
  const int x = builder.input({2});
  const int c = builder.floats({2}, {1, 2});
  const int y = builder.node("Neg", {x});
  const auto model = import_graph(builder.take({x, c, y, y}), {});
  ASSERT_TRUE(model) << model.error().message;
  const auto& outputs = model->builder.outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (size_t k = 0; k < i; ++k) EXPECT_NE(outputs[i], outputs[k]);
  }
}

TEST(OnnxImport, ShapeArithmeticIsFolded) {
  GraphBuilder builder;
  const int x = builder.input({2, 3, 4});
  const int shape = builder.node("Shape", {x});
  const int first =
      builder.node("Gather", {shape, builder.constant<int64_t>(ElementType::kInt64, {}, {0})}, {integer("axis", 0)});
  const int column = builder.node("Unsqueeze", {first, builder.integers({0})});
  const int rest = builder.node("Mul", {builder.integers({6}), builder.integers({2})});
  const int target = builder.node("Concat", {column, rest}, {integer("axis", 0)});
  const int y = builder.node("Reshape", {x, target});
  const auto graph = builder.take({y});
  EXPECT_THAT(operations_of(graph), ElementsAre("RESHAPE"));
  EXPECT_EQ(import_graph(graph, {})->outputs[0].info.dimensions, Shape({2, 12}));
}

TEST(OnnxImport, AConvolutionBetweenQuantizationsIsOneIntegerOperation) {
  GraphBuilder builder;
  const int x = builder.input({1, 2, 4, 4}, ElementType::kUint8);
  const int scale = builder.floats({}, {0.5f});
  const int zero = builder.constant<uint8_t>(ElementType::kUint8, {}, {128});
  const int real = builder.node("DequantizeLinear", {x, scale, zero});
  const int weights = builder.constant<int8_t>(ElementType::kInt8, {2, 2, 1, 1}, {1, 2, 3, 4});
  const int weight_scales = builder.floats({2}, {0.25f, 0.125f});
  const int weight_zeros = builder.constant<int8_t>(ElementType::kInt8, {2}, {0, 0});
  const int real_weights = builder.node("DequantizeLinear", {weights, weight_scales, weight_zeros}, {integer("axis", 0)});
  const int sums = builder.node("Conv", {real, real_weights});
  const int positive = builder.node("Relu", {sums});
  const int y = builder.node("QuantizeLinear", {positive, builder.floats({}, {0.25f}), zero});
  const auto graph = builder.take({y});
  EXPECT_THAT(operations_of(graph), ElementsAre("CONV_2D"));
  // Channel 0: 0.25 * (1 * a + 2 * b), channel 1: 0.125 * (3 * a + 4 * b), for a = 2 and b = -0.5.
  std::vector<float> image(32, 2.0f);
  std::fill(image.begin() + 16, image.end(), -0.5f);
  const auto result = run(graph, {image});
  ASSERT_EQ(result.size(), 32u);
  EXPECT_FLOAT_EQ(result[0], 0.25f);
  EXPECT_FLOAT_EQ(result[16], 0.5f);
}

TEST(OnnxImport, AMoveBetweenQuantizationsMovesIntegers) {
  GraphBuilder builder;
  const int x = builder.input({1, 1, 4, 4}, ElementType::kInt8);
  const int scale = builder.floats({}, {0.5f});
  const int zero = builder.constant<int8_t>(ElementType::kInt8, {}, {3});
  const int real = builder.node("DequantizeLinear", {x, scale, zero});
  const int pooled = builder.node("MaxPool", {real}, {ints("kernel_shape", {2, 2})});
  const int flat = builder.node("Reshape", {pooled, builder.integers({1, -1})});
  const int y = builder.node("QuantizeLinear", {flat, scale, zero});
  EXPECT_THAT(operations_of(builder.take({y})), ElementsAre("MAX_POOL_2D", "RESHAPE"));
}

TEST(OnnxImport, RelaxedOptionsReachTheModel) {
  GraphBuilder builder;
  const int x = builder.input({2});
  const int y = builder.node("Neg", {x});
  EXPECT_EQ(error_of(builder.take({y}), {.relaxed = true}), "");
}

}  // namespace
}  // namespace nnvk::importers::onnx
