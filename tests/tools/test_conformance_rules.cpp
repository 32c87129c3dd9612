// The rules of the vector format: parsing, tolerances, shapes, random samples, names, waivers, reports.
#include <android/NeuralNetworks.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "tools/conformance/case_list.h"
#include "tools/conformance/comparison.h"
#include "tools/conformance/families.h"
#include "tools/conformance/reports.h"
#include "tools/conformance/vector_case.h"
#include "tools/conformance/waivers.h"

namespace nnvk::tools::conformance {
namespace {

using testing::HasSubstr;

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

TEST(ConformanceTolerance, AFileMayAskForExactIntegersAndForAnotherToleranceOfFloats) {
  const auto parsed = parse_case(R"({"name":"x","spec":"s","exact":true,"float_tolerance":[0.5,0.25],)"
                                 R"("main":{"operands":[],"operations":[],"inputs":[],"outputs":[]}})");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(tolerance_for(*parsed, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM).absolute, 0);
  EXPECT_EQ(tolerance_for(*parsed, ANEURALNETWORKS_TENSOR_FLOAT32).absolute, 0.5);
  EXPECT_EQ(tolerance_for(*parsed, ANEURALNETWORKS_TENSOR_FLOAT16).relative, 0.25);
}

TEST(ConformanceComparison, AcceptsTheEdgeOfTheToleranceAndRefusesBeyond) {
  const auto expected = expectation<uint8_t>(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {10, 20, 30});
  EXPECT_FALSE(compare_values(expected, bytes<uint8_t>({11, 19, 30}), {1, 0}));
  const auto difference = compare_values(expected, bytes<uint8_t>({11, 18, 30}), {1, 0});
  ASSERT_TRUE(difference);
  EXPECT_THAT(*difference, HasSubstr("element 1 is 18 instead of 20"));
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

TEST(ConformanceComparison, NothingIsNearAnInfinity) {
  const float infinity = std::numeric_limits<float>::infinity();
  const auto expected = expectation<float>(ANEURALNETWORKS_TENSOR_FLOAT32, {-infinity});
  EXPECT_FALSE(compare_values(expected, bytes<float>({-infinity}), {0, 0}));
  EXPECT_TRUE(compare_values(expected, bytes<float>({-3e38f}), {1, 1}));
}

TEST(ConformanceComparison, GpusMayTakeDenormalInputsForZero) {
  auto expected = expectation<float>(ANEURALNETWORKS_TENSOR_FLOAT32, {1e20f, 2.0f});  // of RSQRT(1e-40, 0.25)
  expected.flushed_data = bytes<float>({std::numeric_limits<float>::infinity(), 2.0f});
  const auto flushed = bytes<float>({std::numeric_limits<float>::infinity(), 2.0f});
  EXPECT_FALSE(compare_values(expected, flushed, {1e-5, 0}, true));
  EXPECT_TRUE(compare_values(expected, flushed, {1e-5, 0}, false));
  EXPECT_TRUE(compare_values(expected, bytes<float>({1e20f, std::numeric_limits<float>::infinity()}), {1e-5, 0}, true));
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
  const auto error_of = [](const std::string& operation) {
    const auto parsed = parse_case(R"({"name":"x","spec":"s","main":{"operands":[],"operations":[)" + operation +
                                   R"(],"inputs":[],"outputs":[]}})");
    EXPECT_FALSE(parsed);
    return parsed ? "" : parsed.error().message;
  };
  EXPECT_THAT(error_of(R"({"type":"ADD","inputs":[7],"outputs":[]})"), HasSubstr("operand 7 of 0"));
  EXPECT_THAT(error_of(R"({"type":"FROB","inputs":[],"outputs":[]})"), HasSubstr("FROB"));
}

TEST(VectorFormat, NamesAreDottedAndChosenByPattern) {
  const auto dotted = dotted_name("V1_0/add", "add_relu");
  EXPECT_EQ(dotted, "nnvk.vectors.V1_0.add.add_relu");
  EXPECT_EQ(peek_name(R"({"name":"add_relu","spec":"V1_0/add"})"), "add_relu");
  for (const auto* pattern : {"", "nnvk.vectors.V1_0.*", "add_*", "V1_0.add"}) {
    EXPECT_TRUE(matches(pattern, dotted, "add_relu")) << pattern;
  }
  for (const auto* pattern : {"V1_1", "sub*"}) EXPECT_FALSE(matches(pattern, dotted, "add_relu")) << pattern;
}

// Temporary files of a test.
class ScratchFile {
 public:
  ScratchFile(const std::string& name, const std::string& text = "") : path_(std::filesystem::path(::testing::TempDir()) / name) {
    std::ofstream(path_) << text;
  }
  ~ScratchFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }
  std::string text() const {
    std::ifstream stream(path_);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

 private:
  std::filesystem::path path_;
};

Record record(const std::string& name, const Outcome& outcome = {}) { return {name, "pooling", "gpu", "words", outcome, 0.5}; }
const Outcome kWrong{Verdict::kFailed, "output 0: 1 instead of 2 <here>", FailureKind::kWrongResult};

TEST(VectorFormat, OperationsAreReadFromALineWithoutParsingIt) {
  EXPECT_EQ(peek_operations(R"({"main":{"operations":[{"type":"ADD","inputs":[0,1],"outputs":[2]},{"type":"RELU","inputs":[2],)"
                            R"("outputs":[3]}],"inputs":[]},"referenced":[{"operations":[{"type":"MUL","inputs":[]}]}]})"),
            (std::vector<std::string>{"ADD", "RELU", "MUL"}));
  EXPECT_TRUE(peek_operations("{}").empty());
  EXPECT_EQ(peek_tensor_type(R"({"operands":[{"type":"INT32"},{"type":"TENSOR_FLOAT16","dims":[2]}]})"), "TENSOR_FLOAT16");
  EXPECT_EQ(peek_tensor_type("{}"), "");
  EXPECT_EQ(family_of(std::vector<std::string>{"ADD", "MAX_POOL_2D"}), "pooling");
  EXPECT_EQ(family_of(std::vector<std::string>{"ADD"}), "elementwise_binary");
}

TEST(CaseSelection, FractionsSplitTheCasesWithoutOverlap) {
  std::vector<CaseEntry> entries;
  for (int i = 0; i < 1000; ++i) entries.push_back({.dotted = "nnvk.case." + std::to_string(i)});
  size_t together = 0;
  for (const auto* part : {"1/3", "2/3", "3/3"}) {
    const auto chosen = choose(entries, {.fraction = part});
    ASSERT_TRUE(chosen);
    EXPECT_GT(chosen->size(), 250u);
    together += chosen->size();
  }
  EXPECT_EQ(together, entries.size());
  for (const auto* wrong : {"0/3", "4/3", "1", "1/", "x/3", "1/3x"}) EXPECT_FALSE(choose(entries, {.fraction = wrong})) << wrong;
}

TEST(CaseSelection, AWholeNameSelectsItsCaseAndNoLongerNames) {
  const std::vector<CaseEntry> entries{{.dotted = "nnvk.case.1", .plain = "1"}, {.dotted = "nnvk.case.12", .plain = "12"}};
  EXPECT_EQ(choose(entries, {.patterns = {"nnvk.case.1"}})->size(), 1u);
  EXPECT_EQ(choose(entries, {.patterns = {"case.1"}})->size(), 2u);
  EXPECT_EQ(choose(entries, {.excluded = {"nnvk.case.1"}})->size(), 1u);
}

TEST(CaseSelection, PatternsListsOperationsAndFamiliesNarrowTheChoice) {
  const std::vector<CaseEntry> entries{
      {.dotted = "nnvk.pooling.max_pool_2d.a", .plain = "a", .operations = {"MAX_POOL_2D"}, .family = "pooling"},
      {.dotted = "nnvk.pooling.l2_pool_2d.b", .plain = "b", .operations = {"L2_POOL_2D"}, .family = "pooling"},
      {.dotted = "nnvk.unary.exp.c", .plain = "c", .operations = {"EXP"}, .family = "unary"}};
  const auto names = [&](const Selection& selection) {
    std::string text;
    const auto chosen = choose(entries, selection);
    if (!chosen) return chosen.error().message;
    for (const auto& entry : *chosen) text += entry.plain;
    return text;
  };
  EXPECT_EQ(names({}), "abc");
  EXPECT_EQ(names({.patterns = {"nnvk.pooling.*", "exp"}, .excluded = {"b"}}), "ac");
  EXPECT_EQ(names({.patterns = {"nnvk.pooling.max_pool_2d.a"}}), "a");
  EXPECT_EQ(names({.operations = {"EXP", "L2_POOL_2D"}}), "bc");
  EXPECT_EQ(names({.families = {"pooling"}}), "ab");
  const ScratchFile list("nnvk_cases.txt", "# what failed\nnnvk.unary.exp.c\n a  # plain\n\n");
  EXPECT_EQ(names({.case_list = list.path()}), "ac");
  const ScratchFile wrong("nnvk_cases_wrong.txt", "d\n");
  EXPECT_THAT(names({.case_list = wrong.path()}), HasSubstr("there is no case d"));
  EXPECT_THAT(names({.operations = {"FROB"}}), HasSubstr("FROB"));
  EXPECT_THAT(names({.families = {"frob"}}), HasSubstr("pooling")) << "lists what there is";
}

TEST(Waivers, CoverFailuresUntilTheirDateAndNeedAReason) {
  const ScratchFile file("nnvk_waivers.json", R"([{"case": "nnvk.pooling.*", "device": "g*", "variant": "words",
                                                   "reason": "driver bug 7", "expires": "2030-06-30"}])");
  const auto waivers = read_waivers(file.path(), "2030-06-30");
  ASSERT_TRUE(waivers) << waivers.error().message;
  EXPECT_NE(covering(*waivers, record("nnvk.pooling.a", kWrong)), nullptr);
  EXPECT_EQ(covering(*waivers, record("nnvk.unary.a", kWrong)), nullptr);
  EXPECT_EQ(covering(*waivers, record("nnvk.pooling.a")), nullptr) << "it did not fail";
  auto other = record("nnvk.pooling.a", kWrong);
  other.variant = "texel";
  EXPECT_EQ(covering(*waivers, other), nullptr);
  EXPECT_EQ(covering(*waivers, record("nnvk.pooling.a", {Verdict::kFailed, "", FailureKind::kCrashed})), nullptr);

  const auto expired = read_waivers(file.path(), "2030-07-01");
  ASSERT_FALSE(expired);
  EXPECT_THAT(expired.error().message, HasSubstr("driver bug 7"));
  for (const auto* wrong : {"{}", "[1]", "[{}]", R"([{"case": "a", "expires": "2030-01-01"}])",
                            R"([{"case": "a", "reason": "b"}])", R"([{"case": "a", "reason": "b", "expires": "2030-02-30"}])"}) {
    EXPECT_FALSE(read_waivers(ScratchFile("nnvk_waivers_wrong.json", wrong).path(), "2026-01-01")) << wrong;
  }
}

TEST(Reports, CountEveryCaseOnceAndEscapeMessages) {
  const std::vector<Waiver> waivers{{"known", "", "", "driver", "2030-01-01"}, {"nothing", "", "", "old", "2030-01-01"}};
  const std::vector<Record> records{record("good"), record("bad", kWrong), record("known", kWrong),
                                    record("not", {Verdict::kSkipped, "NotSupported: \"X\", Y"})};
  const auto summary = summarize(records, waivers);
  EXPECT_EQ(summary.totals.passed, 1u);
  EXPECT_EQ(summary.totals.failed, 1u);
  EXPECT_EQ(summary.totals.waived, 1u);
  EXPECT_EQ(summary.totals.skipped, 1u);
  EXPECT_EQ(summary.families.at("pooling").all(), 4u);
  ASSERT_EQ(summary.unused.size(), 1u);
  EXPECT_EQ(summary.unused[0]->reason, "old");

  const ScratchFile junit("nnvk_junit.xml");
  const std::vector<Provenance> runs{{.subject = {"gpu", "driver <1>", "words", "seed 1"},
                                      .properties = {{"limits", "subgroupSize", "8"}},
                                      .nnvk = "0.1.0",
                                      .commit = "abc",
                                      .started = "2026-11-28T10:00:00Z"}};
  ASSERT_TRUE(write_junit(junit.path(), {runs, records, waivers}));
  const auto xml = junit.text();
  EXPECT_THAT(xml, HasSubstr(R"(<testsuite name="gpu.words" tests="4" failures="1" errors="0" skipped="2")"));
  EXPECT_THAT(xml, HasSubstr(R"(timestamp="2026-11-28T10:00:00")"));
  EXPECT_THAT(xml, HasSubstr(R"x(<property name="run: nnvk" value="0.1.0 (commit abc)"/>)x"));
  EXPECT_THAT(xml, HasSubstr(R"(<property name="run: driver" value="driver &lt;1&gt;"/>)"));
  EXPECT_THAT(xml, HasSubstr(R"(<failure type="wrong result" message="output 0: 1 instead of 2 &lt;here&gt;"/>)"));

  const ScratchFile csv("nnvk_results.csv");
  ASSERT_TRUE(write_csv(csv.path(), {runs, records, waivers}));
  EXPECT_THAT(csv.text(), HasSubstr("\n# limits: subgroupSize: 8\ncase,family,type,device,variant,"));
  EXPECT_THAT(csv.text(), HasSubstr("known,pooling,,gpu,words,waived,wrong result,"));
  EXPECT_THAT(csv.text(), HasSubstr(R"("NotSupported: ""X"", Y")"));
}

}  // namespace
}  // namespace nnvk::tools::conformance
