// Operators between DequantizeLinear and QuantizeLinear: integer operations, with results within one step of real arithmetic.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "tests/importers/onnx/graph_builder.h"

namespace nnvk::importers::onnx {
namespace {

using ::testing::ElementsAre;

constexpr float kInputScale = 0.05f;
constexpr float kResultScale = 0.1f;

// A graph's 8-bit input as real numbers, and what ends it.
struct Quantization {
  explicit Quantization(GraphBuilder& builder) : builder(builder) {}

  int input(std::vector<int64_t> dimensions) {
    const int zero = builder.constant<uint8_t>(ElementType::kUint8, {}, {128});
    return builder.node("DequantizeLinear",
                        {builder.input(std::move(dimensions), ElementType::kUint8), builder.floats({}, {kInputScale}), zero});
  }
  int result(int real) {
    const int zero = builder.constant<uint8_t>(ElementType::kUint8, {}, {100});
    return builder.node("QuantizeLinear", {real, builder.floats({}, {kResultScale}), zero});
  }

  GraphBuilder& builder;
};

std::vector<float> steps(size_t count) {
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i) values.push_back(kInputScale * static_cast<float>(static_cast<int>(i * 7 % 41) - 20));
  return values;
}

// [K, N] weights of INT8 with a scale per unit.
TEST(OnnxQuantized, ADenseLayerWithScalesPerUnitIsOneConvolution) {
  GraphBuilder builder;
  Quantization around(builder);
  const int x = around.input({2, 4});
  const std::vector<int8_t> stored{10, -20, 30, 40, -50, 60, 70, 80, -90, 5, 6, 7};
  const std::vector<float> scales{0.01f, 0.02f, 0.03f};
  const int weights = builder.constant<int8_t>(ElementType::kInt8, {4, 3}, stored);
  const int zeros = builder.constant<int8_t>(ElementType::kInt8, {3}, {0, 0, 0});
  const int real_weights = builder.node("DequantizeLinear", {weights, builder.floats({3}, scales), zeros}, {integer("axis", 1)});
  const int y = around.result(builder.node("Gemm", {x, real_weights, builder.floats({3}, {0.5f, -0.25f, 0.125f})}));
  const auto graph = builder.take({y});
  EXPECT_THAT(operations_of(graph), ElementsAre("RESHAPE", "CONV_2D", "RESHAPE"));
  const auto inputs = steps(8);
  const auto results = run(graph, {inputs});
  ASSERT_EQ(results.size(), 6u);
  const float bias[] = {0.5f, -0.25f, 0.125f};
  for (size_t row = 0; row < 2; ++row) {
    for (size_t unit = 0; unit < 3; ++unit) {
      float sum = bias[unit];
      for (size_t k = 0; k < 4; ++k) sum += inputs[row * 4 + k] * scales[unit] * static_cast<float>(stored[k * 3 + unit]);
      EXPECT_NEAR(results[row * 3 + unit], sum, kResultScale) << row << ' ' << unit;
    }
  }
}

TEST(OnnxQuantized, ADenseLayerWithSignedWeightsForUnsignedDataIsExact) {
  GraphBuilder builder;
  Quantization around(builder);
  const int x = around.input({1, 2});
  const int weights = builder.constant<int8_t>(ElementType::kInt8, {2, 2}, {10, -20, 30, 40});
  const int zero = builder.constant<int8_t>(ElementType::kInt8, {}, {2});
  const int real_weights = builder.node("DequantizeLinear", {weights, builder.floats({}, {0.02f}), zero});
  const int y = around.result(builder.node("MatMul", {x, real_weights}));
  const auto graph = builder.take({y});
  EXPECT_THAT(operations_of(graph), ElementsAre("FULLY_CONNECTED"));
  const auto results = run(graph, {{1.0f, -0.5f}});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_NEAR(results[0], 0.02f * (8 * 1.0f - 28 * 0.5f), kResultScale);
  EXPECT_NEAR(results[1], 0.02f * (-22 * 1.0f - 38 * 0.5f), kResultScale);
}

TEST(OnnxQuantized, SumsOfTwoQuantizationsAreOneOperation) {
  GraphBuilder builder;
  Quantization around(builder);
  const int y = around.result(builder.node("Add", {around.input({1, 2, 2, 2}), around.input({1, 2, 2, 2})}));
  const auto graph = builder.take({y});
  EXPECT_THAT(operations_of(graph), ElementsAre("ADD"));
  const auto a = steps(8);
  std::vector<float> b(8, 0.25f);
  const auto results = run(graph, {a, b});
  for (size_t i = 0; i < results.size(); ++i) EXPECT_NEAR(results[i], a[i] + 0.25f, kResultScale) << i;
}

TEST(OnnxQuantized, JoinedTensorsOfDifferentQuantizationsAreOneOperation) {
  GraphBuilder builder;
  Quantization around(builder);
  const int first = around.input({1, 1, 2, 2});
  const int zero = builder.constant<uint8_t>(ElementType::kUint8, {}, {0});
  const int second =
      builder.node("DequantizeLinear", {builder.input({1, 1, 2, 2}, ElementType::kUint8), builder.floats({}, {0.2f}), zero});
  const int y = around.result(builder.node("Concat", {first, second}, {integer("axis", 1)}));
  const auto graph = builder.take({y});
  EXPECT_THAT(operations_of(graph), ElementsAre("CONCATENATION"));
  const auto results = run(graph, {{0.5f, -0.5f, 0.25f, 0}, {1, 2, 3, 4}});
  ASSERT_EQ(results.size(), 8u);
  EXPECT_NEAR(results[0], 0.5f, kResultScale);
  EXPECT_NEAR(results[7], 4.0f, kResultScale);
}

TEST(OnnxQuantized, AveragesOverImagesAreOneConvolution) {
  GraphBuilder builder;
  Quantization around(builder);
  const int y = around.result(builder.node("GlobalAveragePool", {around.input({1, 2, 3, 5})}));
  const auto graph = builder.take({y});
  EXPECT_THAT(operations_of(graph), ElementsAre("DEPTHWISE_CONV_2D"));
  const auto inputs = steps(30);
  const auto results = run(graph, {inputs});
  ASSERT_EQ(results.size(), 2u);
  for (size_t c = 0; c < 2; ++c) {
    float sum = 0;
    for (size_t i = 0; i < 15; ++i) sum += inputs[c * 15 + i];
    EXPECT_NEAR(results[c], sum / 15, kResultScale) << c;
  }
}

// In both orders: the second one needs fewer ones than there are, or more.
TEST(OnnxQuantized, AveragesOfOneModelShareTheBytesOfTheirWeights) {
  for (const bool large_first : {true, false}) {
    GraphBuilder builder;
    Quantization around(builder);
    const auto average = [&](std::initializer_list<int64_t> shape) {
      return around.result(builder.node("GlobalAveragePool", {around.input(shape)}));
    };
    const int first = large_first ? average({1, 2, 3, 5}) : average({1, 2, 2, 2});
    const int second = large_first ? average({1, 2, 2, 2}) : average({1, 2, 3, 5});
    const auto graph = builder.take({second, first});
    const auto imported = import_graph(graph, {});
    ASSERT_TRUE(imported) << imported.error().message;
    const auto& owners = imported->storage;
    const auto is_shared = [&](const auto& owner) { return std::ranges::count(owners, owner) == 2; };
    EXPECT_EQ(std::ranges::any_of(owners, is_shared), large_first);
    const auto images = steps(30);
    const auto corners = steps(8);
    const auto results = run(graph, large_first ? std::vector{images, corners} : std::vector{corners, images});
    const auto& read = large_first ? corners : images;
    ASSERT_EQ(results.size(), 2u);
    for (size_t c = 0; c < 2; ++c) {
      const size_t count = read.size() / 2;
      const auto channel = std::span(read).subspan(c * count, count);
      const float sum = std::accumulate(channel.begin(), channel.end(), 0.0f);
      EXPECT_NEAR(results[c], sum / static_cast<float>(count), kResultScale) << c;
    }
  }
}

TEST(OnnxQuantized, AMeanOverAnImageThatDropsItsDimensionsIsOneConvolution) {
  GraphBuilder builder;
  Quantization around(builder);
  const int mean = builder.node("ReduceMean", {around.input({2, 2, 2, 2})}, {ints("axes", {2, 3}), integer("keepdims", 0)});
  const auto graph = builder.take({around.result(mean)});
  EXPECT_THAT(operations_of(graph), ElementsAre("DEPTHWISE_CONV_2D", "RESHAPE"));
  const auto inputs = steps(16);
  const auto results = run(graph, {inputs});
  ASSERT_EQ(results.size(), 4u);
  for (size_t c = 0; c < 4; ++c) {
    const float sum = inputs[c * 4] + inputs[c * 4 + 1] + inputs[c * 4 + 2] + inputs[c * 4 + 3];
    EXPECT_NEAR(results[c], sum / 4, kResultScale) << c;
  }
}

// Zeros around the image count; without them in the average, only real numbers can express it.
TEST(OnnxQuantized, AveragesOverWindowsCountPaddingOrGoThroughRealNumbers) {
  for (const int64_t counts : {1, 0}) {
    GraphBuilder builder;
    Quantization around(builder);
    const int y = around.result(
        builder.node("AveragePool", {around.input({1, 1, 2, 2})},
                     {ints("kernel_shape", {2, 2}), ints("pads", {1, 1, 0, 0}), integer("count_include_pad", counts)}));
    const auto graph = builder.take({y});
    if (counts == 1) {
      EXPECT_THAT(operations_of(graph), ElementsAre("CONV_2D"));
    } else {
      EXPECT_THAT(operations_of(graph), ElementsAre("DEQUANTIZE", "AVERAGE_POOL_2D", "QUANTIZE"));
    }
    const auto results = run(graph, {{0.4f, 0.8f, -0.4f, 0.2f}});
    ASSERT_EQ(results.size(), 4u);
    EXPECT_NEAR(results[0], counts == 1 ? 0.1f : 0.4f, kResultScale);
    EXPECT_NEAR(results[3], 0.25f, kResultScale);
  }
}

TEST(OnnxQuantized, ABatchNormalizationIsOneConvolution) {
  GraphBuilder builder;
  Quantization around(builder);
  const int normal =
      builder.node("BatchNormalization",
                   {around.input({1, 3, 2, 2}), builder.floats({3}, {2, -0.5f, 0}), builder.floats({3}, {0.5f, -1, 0.75f}),
                    builder.floats({3}, {0.25f, 0, 3}), builder.floats({3}, {1, 4, 1})},
                   {Attribute{"epsilon", 0.0f}});
  const auto graph = builder.take({around.result(normal)});
  EXPECT_THAT(operations_of(graph), ElementsAre("DEPTHWISE_CONV_2D"));
  const auto inputs = steps(12);
  const auto results = run(graph, {inputs});
  ASSERT_EQ(results.size(), 12u);
  const float factors[] = {2, -0.25f, 0};
  const float addends[] = {0, -1, 0.75f};
  for (size_t i = 0; i < 12; ++i) EXPECT_NEAR(results[i], inputs[i] * factors[i / 4] + addends[i / 4], kResultScale) << i;
}

// Integers that a QLinearConv cannot express (a scale that is computed) go through real numbers.
TEST(OnnxQuantized, AScaleThatIsComputedGoesThroughRealNumbers) {
  GraphBuilder builder;
  const int x = builder.input({1, 1, 2, 2}, ElementType::kUint8);
  const int scale = builder.input({});
  const int zero = builder.constant<uint8_t>(ElementType::kUint8, {}, {0});
  const int y = builder.node("DequantizeLinear", {x, scale, zero});
  builder.graph().inputs = {x, scale};
  const auto results = run(builder.take({y}), {{1, 2, 3, 4}, {0.5f}});
  EXPECT_THAT(results, ElementsAre(0.5f, 1.0f, 1.5f, 2.0f));
}

}  // namespace
}  // namespace nnvk::importers::onnx
