// The results of operators on the reference device: error bounds of composed functions, and the meaning of old opsets.
#include <cmath>
#include <limits>

#include "tests/importers/onnx/graph_builder.h"

namespace nnvk::importers::onnx {
namespace {

// Values of both signs, from tiny to large.
std::vector<float> samples(float largest) {
  std::vector<float> values;
  for (int i = -2000; i <= 2000; ++i) values.push_back(largest * static_cast<float>(i) / 2000);
  for (float x = 1e-30f; x < largest; x *= 1.7f) values.insert(values.end(), {x, -x});
  return values;
}

std::vector<float> computed(const char* op_type, const std::vector<float>& inputs, std::vector<Attribute> attributes = {}) {
  GraphBuilder builder(20);
  const int x = builder.input({static_cast<int64_t>(inputs.size())});
  return run(builder.take({builder.node(op_type, {x}, std::move(attributes))}), {inputs});
}

double units(float actual, double expected) {
  const float rounded = std::fabs(static_cast<float>(expected));
  const double unit = std::nextafter(rounded, std::numeric_limits<float>::infinity()) - rounded;
  return std::fabs(static_cast<double>(actual) - expected) / unit;
}

TEST(OnnxFunctions, ErfIsWithinFourUnitsInTheLastPlace) {
  const auto inputs = samples(6);
  const auto results = computed("Erf", inputs);
  ASSERT_EQ(results.size(), inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_LE(units(results[i], std::erf(static_cast<double>(inputs[i]))), 4) << inputs[i];
  }
}

TEST(OnnxFunctions, SoftplusKeepsSmallResults) {
  const auto inputs = samples(60);
  const auto results = computed("Softplus", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_LE(units(results[i], std::log1p(std::exp(static_cast<double>(inputs[i])))), 64) << inputs[i];
  }
}

TEST(OnnxFunctions, CosIsWithinItsAbsoluteBound) {
  const auto inputs = samples(100);
  const auto results = computed("Cos", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_NEAR(results[i], std::cos(static_cast<double>(inputs[i])), 3e-7) << inputs[i];
  }
}

TEST(OnnxFunctions, RoundTakesTiesToEven) {
  const std::vector<float> inputs{0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 0.49999997f, 8388609.0f, -3.7f};
  const auto results = computed("Round", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) EXPECT_EQ(results[i], std::nearbyint(inputs[i])) << inputs[i];
}

TEST(OnnxFunctions, GeluOfBothFormsFollowsItsDefinition) {
  const auto inputs = samples(5);
  const auto exact = computed("Gelu", inputs);
  const auto approximate = computed("Gelu", inputs, {text("approximate", "tanh")});
  for (size_t i = 0; i < inputs.size(); ++i) {
    const double x = inputs[i];
    EXPECT_NEAR(exact[i], 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))), 1e-6 * std::max(1.0, std::fabs(x))) << x;
    const double argument = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
    EXPECT_NEAR(approximate[i], 0.5 * x * (1 + std::tanh(argument)), 1e-6 * std::max(1.0, std::fabs(x))) << x;
  }
}

// Models of opset 1 say in attributes where a smaller operand stands, and which shape a reshape gives.
TEST(OnnxFunctions, OldModelsPlaceTheirOperandsByAttributes) {
  GraphBuilder builder(1);
  const int x = builder.input({1, 2, 2});
  const int by_axis = builder.node("Add", {x, builder.floats({2}, {10, 20})}, {integer("broadcast", 1), integer("axis", 1)});
  const int by_end = builder.node("Mul", {by_axis, builder.floats({2}, {1, -1})}, {integer("broadcast", 1)});
  const int y = builder.node("Reshape", {by_end}, {ints("shape", {2, -1})});
  EXPECT_EQ(run(builder.take({y}), {{1, 2, 3, 4}}), (std::vector<float>{11, -12, 23, -24}));
}

}  // namespace
}  // namespace nnvk::importers::onnx
