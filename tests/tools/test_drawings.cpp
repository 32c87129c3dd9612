// Drawings of explanations: which boxes and edges they have, and that every name survives in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tools/markup/text.h"
#include "tools/reports/dot.h"
#include "tools/reports/graph.h"
#include "tools/reports/page.h"
#include "tools/reports/svg.h"

namespace nnvk::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ExplainedOperation operation(const char* name, std::vector<size_t> producers, std::vector<size_t> inputs = {}) {
  ExplainedOperation made;
  made.name = name;
  made.result = "FLOAT32 [2,3]";
  made.device = "gpu";
  made.producers = std::move(producers);
  made.model_inputs = std::move(inputs);
  made.answers = {{"gpu", true, "", 0.001}, {"cpu", true, "", 0.002}};
  return made;
}

ExplainedOperation folded(const char* name, std::vector<size_t> producers, std::vector<size_t> inputs = {}) {
  ExplainedOperation made = operation(name, std::move(producers), std::move(inputs));
  made.folded = true;
  made.device = "";
  return made;
}

// CAST (of a constant) -> CONV_2D <- image. RELU, merged into CONV_2D; RESHAPE, a view; ADD <- RESHAPE, mask; output.
Explanation example() {
  Explanation e;
  e.device = "gpu";
  e.inputs = {{"image", "FLOAT32 [1,8,8,3]", {}}, {"mask", "FLOAT32 [2,3]", {}}};
  e.operations = {folded("CAST", {}), operation("CONV_2D", {0}, {0}), operation("RELU", {1}), folded("RESHAPE", {2}),
                  operation("ADD", {3}, {1})};
  e.operations[1].measured_seconds = 0.003;
  e.operations[2].merged_into = 1;
  e.operations[4].measured_seconds = 0.001;
  e.operations[4].is_result = true;
  e.outputs = {{"", "FLOAT32 [2,3]", 4}};
  return e;
}

// The edges as "title -> title".
std::vector<std::string> edges_of(const Explanation& e) {
  const Graph graph = graph_of(e);
  std::vector<std::string> edges;
  for (const GraphEdge& edge : graph.edges) {
    edges.push_back(title_of(e, graph.nodes[edge.from]) + " -> " + title_of(e, graph.nodes[edge.to]));
  }
  return edges;
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(GraphOfAnExplanation, HasAnEdgePerInputAndProducerAndNoneForConstants) {
  EXPECT_THAT(edges_of(example()),
              ElementsAre("input 0: image -> 1 CONV_2D", "input 1: mask -> 4 ADD", "1 CONV_2D -> 4 ADD", "4 ADD -> output 0"));
}

TEST(GraphOfAnExplanation, AnOperationThatReadsConstantsAloneHasNoEdgeFromAnInput) {
  Explanation e;
  e.inputs = {{"x", "FLOAT32 [1]", {}}};
  e.operations = {operation("FILL", {}), operation("ADD", {0}, {0})};
  EXPECT_THAT(edges_of(e), ElementsAre("input 0: x -> 1 ADD", "0 FILL -> 1 ADD"));
}

TEST(GraphOfAnExplanation, PutsMergedOperationsIntoTheBoxOfTheirHost) {
  const Explanation e = example();
  EXPECT_EQ(fate_of(e, 0), Fate::kAtCompilation);
  EXPECT_EQ(fate_of(e, 1), Fate::kRuns);
  EXPECT_EQ(fate_of(e, 2), Fate::kMerged);
  EXPECT_EQ(fate_of(e, 3), Fate::kView);
  EXPECT_THAT(hosts_of(e), ElementsAre(1, 1, 1, 1, 4));
  const Graph graph = graph_of(e);
  const GraphNode& convolution = graph.nodes[2];
  EXPECT_THAT(convolution.inside, ElementsAre(0, 2, 3));
  EXPECT_THAT(lines_of_merged(e, convolution),
              ElementsAre("CAST (done at compilation)", "RELU (in the same step)", "RESHAPE (no work: a view)"));
}

TEST(GraphOfAnExplanation, AViewOfAnInputStandsInItsReadersBox) {
  Explanation e;
  e.inputs = {{"x", "FLOAT32 [6]", {}}};
  e.operations = {folded("RESHAPE", {}, {0}), operation("TANH", {0})};
  EXPECT_THAT(hosts_of(e), ElementsAre(1, 1));
  EXPECT_THAT(edges_of(e), ElementsAre("input 0: x -> 1 TANH"));
}

TEST(GraphOfAnExplanation, OneConstantForSeveralReadersMakesNoEdgeBetweenThem) {
  Explanation e;
  e.inputs = {{"x", "FLOAT32 [6]", {}}};
  e.operations = {folded("CAST", {}), operation("MUL", {0}, {0}), operation("ADD", {0}, {0})};
  EXPECT_THAT(edges_of(e), ElementsAre("input 0: x -> 1 MUL", "input 0: x -> 2 ADD"));
}

TEST(GraphOfAnExplanation, AnOperationThatNobodyReadsStandsAlone) {
  Explanation e;
  e.operations = {folded("TANH", {})};
  EXPECT_EQ(fate_of(e, 0), Fate::kUnused);
  EXPECT_EQ(graph_of(e).nodes.size(), 1U);
}

TEST(GraphOfAnExplanation, HostsThatPointAtEachOtherKeepTheirBoxes) {
  Explanation e;
  e.operations = {operation("A", {}), operation("B", {})};
  e.operations[0].merged_into = 1;
  e.operations[1].merged_into = 0;
  EXPECT_THAT(hosts_of(e), ElementsAre(0, 1));
}

TEST(GraphOfAnExplanation, NamesTheChosenDevicesThatDecline) {
  Explanation e = example();
  e.operations[4].answers = {{"gpu", false, "too large", 0}, {"npu", false, "never heard of it", 0}};
  const auto refusals = refusals_of(e, e.operations[4]);
  ASSERT_EQ(refusals.size(), 1U);
  EXPECT_EQ(refusals[0]->reason, "too large");
}

TEST(Dot, FramesMergedOperationsWithTheirHost) {
  const auto dot = to_dot(example());
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_op1 { style=\"dashed\"; label=\"\"; op1; op0; op2; op3; }"));
  EXPECT_THAT(dot, HasSubstr("input0 [shape=ellipse, label=\"input 0: image\\nFLOAT32 [1,8,8,3]\"]"));
  EXPECT_THAT(dot, HasSubstr("input1 -> op4;"));
  EXPECT_THAT(dot, HasSubstr("op3 -> op4;"));
  EXPECT_THAT(dot, Not(HasSubstr("-> op0;")));
  EXPECT_THAT(dot, HasSubstr("op4 -> output0;"));
}

TEST(Svg, ShowsEveryBoxAndEdgeOnce) {
  const auto svg = to_svg(example());
  EXPECT_EQ(count(svg, "class=\"node\""), 5U) << "2 inputs, 2 operations, 1 output";
  EXPECT_EQ(count(svg, "class=\"edge\""), 4U);
  EXPECT_THAT(svg, HasSubstr(">1 CONV_2D</text>"));
  EXPECT_THAT(svg, HasSubstr("3.000 ms, 75 %"));
  EXPECT_THAT(svg, HasSubstr("+ RELU (in the same step)"));
  EXPECT_THAT(svg, HasSubstr("class=\"legend\">gpu</text>"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
}

TEST(Svg, NamesTheDeviceInEachBoxOnlyIfThereAreSeveral) {
  auto e = example();
  EXPECT_THAT(to_svg(e), Not(HasSubstr(">gpu, step 1</text>")));
  e.operations[4].device = "cpu";
  e.operations[4].partition = 1;
  const auto svg = to_svg(e);
  EXPECT_THAT(svg, HasSubstr(">gpu, step 1</text>"));
  EXPECT_THAT(svg, HasSubstr(">cpu, step 2</text>"));
  EXPECT_THAT(svg, HasSubstr("class=\"box device1\""));
}

TEST(Page, HasTheFactsOfEveryBoxAndLoadsNothing) {
  auto e = example();
  e.operations[4].answers.push_back({"npu", false, "no sums on Mondays", 0});
  const auto page = to_page(e, "model.tflite");
  EXPECT_EQ(count(page, "class=\"facts\""), 5U);
  for (int n = 0; n < 5; ++n) {
    EXPECT_EQ(count(page, "id=\"node" + std::to_string(n) + "\""), 1U);
    EXPECT_EQ(count(page, "id=\"facts" + std::to_string(n) + "\""), 1U);
    EXPECT_GE(count(page, "href=\"#facts" + std::to_string(n) + "\""), 1U) << "reachable by keyboard, and without scripts";
  }
  EXPECT_THAT(page, HasSubstr("npu declines it: no sums on Mondays"));
  EXPECT_THAT(page, HasSubstr("cpu: predicted 2.000 ms"));
  EXPECT_THAT(page, HasSubstr("measured 3.000 ms: 75.0 % of all operations"));
  EXPECT_THAT(page, HasSubstr("with it: 2 RELU (in the same step)"));
  EXPECT_THAT(page, HasSubstr("gpu: 2 operations, 4.000 ms"));
  EXPECT_LT(page.find("1 CONV_2D</a>: 3.000 ms"), page.find("4 ADD</a>: 1.000 ms")) << "the slowest first";
  for (const char* loads : {"src=", "<link", "@import", "url(h", "https:"}) EXPECT_THAT(page, Not(HasSubstr(loads)));
  EXPECT_EQ(count(page, "http:"), 1U) << "the name of SVG's namespace";
}

TEST(Drawings, EscapeNamesFromFiles) {
  auto e = example();
  e.device = "g<p>u";
  e.refusal = "<b>\"no\"</b>";
  e.inputs[0].name = "</svg><script>alert(1)</script>&'\"\n\xff";
  e.operations[1].name = "a.b:<3>";
  e.operations[1].origin = "operator \"0\" <i>";
  e.operations[4].answers[1] = {"c&pu", false, "a < b", 0};
  for (auto& made : e.operations) {
    if (!made.device.empty()) made.device = e.device;
  }
  for (const auto& drawn : {to_svg(e), to_page(e, "<model>&.tflite")}) {
    EXPECT_THAT(drawn, Not(HasSubstr("alert(1)</script>")));
    for (const char* raw : {"<i>", "<3>", "<p>u", "<b>", "c&pu", "a < b", "<model>", "\xff"}) {
      EXPECT_THAT(drawn, Not(HasSubstr(raw))) << raw;
    }
    EXPECT_THAT(drawn, HasSubstr("&lt;3&gt;"));
  }
  EXPECT_THAT(to_dot(e), HasSubstr(R"(label="input 0: </svg><script>alert(1)</script>&'\"\n)"));
}

TEST(Markup, ShortensInTheMiddleByColumns) {
  EXPECT_EQ(shortened("short", 5), "short");
  EXPECT_EQ(shortened("abcdefghij", 9), "abc...hij");
  EXPECT_EQ(columns_of("\xE7\x8C\xAB"), 2U) << "a Chinese character";
  EXPECT_EQ(columns_of("\xC3\xA9"), 1U);
  EXPECT_LE(columns_of(shortened("\xE7\x8C\xAB\xE7\x8C\xAB\xE7\x8C\xAB\xE7\x8C\xAB\xE7\x8C\xAB", 8)), 8U);
}

TEST(Markup, ReplacesWhatIsNoText) {
  EXPECT_EQ(escaped("a\x01\x7f\nb"), "a??\nb");
  EXPECT_EQ(escaped("\xC3\xA9 \xE7\x8C\xAB \xF0\x9F\x90\xB1"), "\xC3\xA9 \xE7\x8C\xAB \xF0\x9F\x90\xB1");
  EXPECT_EQ(escaped("\xC3"), "?");
  EXPECT_EQ(escaped("\xC0\xAF|\xED\xA0\x80"), "??|???") << "overlong, and half of a pair";
  EXPECT_THAT(escaped(""), IsEmpty());
}

}  // namespace
}  // namespace nnvk::tools
