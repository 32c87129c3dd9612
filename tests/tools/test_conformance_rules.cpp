// The rules of the vector format: parsing, tolerances, shapes, random samples, names, results files.
#include <android/NeuralNetworks.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tools/conformance/comparison.h"
#include "tools/conformance/results_file.h"
#include "tools/conformance/vector_case.h"

namespace nnvk::tools::conformance {
namespace {

template <class T>
VectorOperand expectation(int32_t type, std::vector<T> values) {
  VectorOperand operand;
  operand.type = type;
  operand.dimensions = {static_cast<uint32_t>(values.size())};
  const auto* first = reinterpret_cast<const uint8_t*>(values.data());
  operand.data.assign(first, first + values.size() * sizeof(T));
  return operand;
}

template <class T>
std::vector<uint8_t> bytes(std::vector<T> values) {
  return expectation<T>(0, std::move(values)).data;
}

VectorGraph graph_with(int32_t type) {
  VectorGraph graph;
  graph.operands.resize(1);
  graph.operands[0].type = type;
  return graph;
}

VectorCase case_with(int32_t type, const std::string& name = "plain") {
  VectorCase c;
  c.name = name;
  c.main = graph_with(type);
  return c;
}

TEST(ConformanceTolerance, FloatIsTightUnlessRelaxedOrHalfAppears) {
  const auto tight = tolerance_for(case_with(ANEURALNETWORKS_TENSOR_FLOAT32), ANEURALNETWORKS_TENSOR_FLOAT32);
  EXPECT_EQ(tight.absolute, 1e-5);
  EXPECT_EQ(tight.relative, 5 * std::ldexp(1.0, -23));
  auto relaxed = case_with(ANEURALNETWORKS_TENSOR_FLOAT32);
  relaxed.relaxed = true;
  EXPECT_EQ(tolerance_for(relaxed, ANEURALNETWORKS_TENSOR_FLOAT32).absolute, 0.0048828125);
  auto half_inside = case_with(ANEURALNETWORKS_TENSOR_FLOAT32);
  half_inside.referenced.push_back(graph_with(ANEURALNETWORKS_TENSOR_FLOAT16));
  EXPECT_EQ(tolerance_for(half_inside, ANEURALNETWORKS_TENSOR_FLOAT32).relative, 0.0048828125);
}

TEST(ConformanceTolerance, QuantizedAllowsOneStepAndMobilenetThree) {
  const auto type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
  EXPECT_EQ(tolerance_for(case_with(type), type).absolute, 1);
  EXPECT_EQ(tolerance_for(case_with(type, "mobilenet_quantized"), type).absolute, 3);
  EXPECT_EQ(tolerance_for(case_with(type, "mobilenet"), ANEURALNETWORKS_TENSOR_INT32).absolute, 1);
  EXPECT_EQ(tolerance_for(case_with(type), ANEURALNETWORKS_TENSOR_BOOL8).absolute, 0);
}

TEST(ConformanceComparison, AcceptsTheEdgeOfTheToleranceAndRefusesBeyond) {
  const auto expected = expectation<uint8_t>(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {10, 20, 30});
  EXPECT_FALSE(compare_values(expected, bytes<uint8_t>({11, 19, 30}), {1, 0}));
  const auto difference = compare_values(expected, bytes<uint8_t>({11, 18, 30}), {1, 0});
  ASSERT_TRUE(difference);
  EXPECT_NE(difference->find("element 1 is 18 instead of 20"), std::string::npos) << *difference;
}

TEST(ConformanceComparison, SignedValuesAreComparedAsSigned) {
  const auto expected = expectation<int8_t>(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, {-1, 127});
  EXPECT_FALSE(compare_values(expected, bytes<int8_t>({0, 127}), {1, 0}));
  EXPECT_TRUE(compare_values(expected, bytes<int8_t>({0, -128}), {1, 0}));
}

TEST(ConformanceComparison, NotANumberNeverAgrees) {
  const auto expected = expectation<float>(ANEURALNETWORKS_TENSOR_FLOAT32, {1.0f});
  EXPECT_TRUE(compare_values(expected, bytes<float>({std::nanf("")}), {1e9, 1e9}));
}

TEST(ConformanceComparison, TooFewBytesDisagree) {
  const auto expected = expectation<float>(ANEURALNETWORKS_TENSOR_FLOAT32, {1.0f, 2.0f});
  EXPECT_TRUE(compare_values(expected, bytes<float>({1.0f}), {1, 0}));
}

TEST(ConformanceComparison, AnOpenShapeIsComparedWithTheExpectedOne) {
  VectorOperand operand;
  operand.dimensions = {0, 0};
  operand.expected_dimensions = {{2, 0}};
  const std::vector<uint32_t> right{2, 0};
  const std::vector<uint32_t> wrong{2, 1};
  EXPECT_FALSE(compare_shape(operand, right));
  EXPECT_TRUE(compare_shape(operand, wrong));
  operand.expected_dimensions.reset();
  operand.dimensions = {2, 1};
  EXPECT_FALSE(compare_shape(operand, wrong));
}

TEST(ConformanceComparison, SamplesMustFollowTheSoftmaxOfTheLogits) {
  const std::vector<float> logits{std::log(0.75f), std::log(0.25f)};
  std::vector<int32_t> samples(1000, 0);
  std::fill_n(samples.begin(), 260, 1);
  EXPECT_FALSE(compare_distribution(logits, samples, 0.025));
  std::fill_n(samples.begin(), 300, 1);
  EXPECT_TRUE(compare_distribution(logits, samples, 0.025));
  samples[999] = 2;
  EXPECT_TRUE(compare_distribution(logits, samples, 1.0));
}

TEST(VectorFormat, Base64DecodesAllLengthsAndRefusesGarbage) {
  EXPECT_EQ(decode_base64("")->size(), 0u);
  EXPECT_EQ(*decode_base64("AQ=="), (std::vector<uint8_t>{1}));
  EXPECT_EQ(*decode_base64("AQI="), (std::vector<uint8_t>{1, 2}));
  EXPECT_EQ(*decode_base64("AQL/"), (std::vector<uint8_t>{1, 2, 255}));
  EXPECT_FALSE(decode_base64("AQ="));
  EXPECT_FALSE(decode_base64("A*=="));
}

TEST(VectorFormat, MalformedLinesAreErrorsThatSayWhy) {
  EXPECT_FALSE(parse_case("not json"));
  EXPECT_FALSE(parse_case("{}"));
  const auto outside = parse_case(
      R"({"name":"x","spec":"s","main":{"operands":[],"operations":[{"type":"ADD","inputs":[7],"outputs":[]}],"inputs":[],"outputs":[]}})");
  ASSERT_FALSE(outside);
  EXPECT_NE(outside.error().message.find("operand 7 of 0"), std::string::npos) << outside.error().message;
  const auto unknown = parse_case(
      R"({"name":"x","spec":"s","main":{"operands":[],"operations":[{"type":"FROB","inputs":[],"outputs":[]}],"inputs":[],"outputs":[]}})");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("FROB"), std::string::npos);
}

TEST(VectorFormat, NamesAreDottedAndChosenByPattern) {
  const auto dotted = dotted_name("V1_0/add", "add_relu");
  EXPECT_EQ(dotted, "nnvk.vectors.V1_0.add.add_relu");
  EXPECT_EQ(peek_name(R"({"name":"add_relu","spec":"V1_0/add"})"), "add_relu");
  EXPECT_TRUE(matches("", dotted, "add_relu"));
  EXPECT_TRUE(matches("nnvk.vectors.V1_0.*", dotted, "add_relu"));
  EXPECT_TRUE(matches("add_*", dotted, "add_relu"));
  EXPECT_TRUE(matches("V1_0.add", dotted, "add_relu"));
  EXPECT_FALSE(matches("V1_1", dotted, "add_relu"));
  EXPECT_FALSE(matches("sub*", dotted, "add_relu"));
}

TEST(ResultsFile, ARunThatDiedNamesItsCaseAndCanBeResumed) {
  const auto path = std::filesystem::path(testing::TempDir()) / "nnvk_results.jsonl";
  {
    ResultsFile file;
    ASSERT_TRUE(file.open(path, false));
    ASSERT_TRUE(file.begin("a"));
    ASSERT_TRUE(file.end({Verdict::kPassed, ""}, 0.5));
    ASSERT_TRUE(file.begin("b"));
    ASSERT_TRUE(file.end({Verdict::kSkipped, "NotSupported: LSTM \"\xff\""}, 0));
    ASSERT_TRUE(file.begin("c"));  // never ended, as after a crash
  }
  {
    ResultsFile file;
    ASSERT_TRUE(file.open(path, true));
    EXPECT_EQ(file.finished(),
              (std::map<std::string, Verdict>{{"a", Verdict::kPassed}, {"b", Verdict::kSkipped}, {"c", Verdict::kFailed}}));
    ASSERT_TRUE(file.begin("d"));
    ASSERT_TRUE(file.end({Verdict::kPassed, ""}, 0));
  }
  ResultsFile again;
  ASSERT_TRUE(again.open(path, true));
  EXPECT_EQ(again.finished().size(), 4u);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace nnvk::tools::conformance
