#include "clients/onnxruntime_provider/capability.h"

#include <gmock/gmock.h>

#include "tests/importers/onnx/graphs.h"

namespace nnvk::clients::onnxruntime {
namespace {

using test::GraphMaker;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

DeviceChoice cpu() {
  const auto device = tools::find_device("nnvk-cpu");
  EXPECT_TRUE(device) << device.error().message;
  return {{*device}, false};
}

Options any_size() {
  Options options;
  options.min_nodes = 1;
  return options;
}

std::vector<NodeGroup> taken(const Graph& graph, const Options& options) {
  const auto capability = assess(graph, options, cpu());
  EXPECT_TRUE(capability) << capability.error().message;
  std::vector<NodeGroup> groups;
  if (!capability) return groups;
  for (const Subgraph& subgraph : capability->subgraphs) {
    if (subgraph.is_taken) groups.push_back(subgraph.nodes);
  }
  return groups;
}

Graph around(const std::string& middle) {
  return GraphMaker()
      .input("x", {2, 2})
      .node("Relu", {"x"}, {"a"})
      .node(middle, {"a"}, {"b"})
      .node("Add", {"b", "a"}, {"y"})
      .output("y")
      .graph();
}

TEST(Capability, TakesAWholeGraph) { EXPECT_THAT(taken(around("Abs"), any_size()), ElementsAre(ElementsAre(0, 1, 2))); }

TEST(Capability, LeavesNodesThatTheImporterRefusesAndSaysWhy) {
  Graph graph = around("Bernoulli");
  for (const size_t node : {0, 1}) {  // ONNX Runtime tells the shapes of all values that it knows
    Value& result = graph.values[static_cast<size_t>(graph.nodes[node].outputs[0])];
    result.has_rank = true;
    result.dimensions = {2, 2};
  }
  const auto capability = assess(graph, any_size(), cpu());
  ASSERT_TRUE(capability) << capability.error().message;
  EXPECT_THAT(capability->refusals, ElementsAre(IsEmpty(), Not(IsEmpty()), IsEmpty()));
  EXPECT_THAT(taken(graph, any_size()), ElementsAre(ElementsAre(0), ElementsAre(2)));
  EXPECT_THAT(report(graph, *capability), AllOf(HasSubstr("takes 2 of 3 nodes"), HasSubstr("Bernoulli")));
}

TEST(Capability, LeavesSubgraphsBelowTheMinimum) {
  Options options;
  options.min_nodes = 4;
  EXPECT_THAT(taken(around("Abs"), options), IsEmpty());
  options.min_nodes = 3;
  EXPECT_THAT(taken(around("Abs"), options), ElementsAre(ElementsAre(0, 1, 2)));
}

TEST(Capability, LeavesSubgraphsThatWouldNotBeFaster) {
  const Graph graph = around("Abs");
  EXPECT_THAT(taken(graph, {}), IsEmpty());
  const auto capability = assess(graph, {}, cpu());
  ASSERT_TRUE(capability) << capability.error().message;
  ASSERT_EQ(capability->subgraphs.size(), 1u);
  EXPECT_THAT(capability->subgraphs[0].reason, HasSubstr("predicted"));
}

std::optional<ComparedTimes> nothing_kept(const Graph&) { return std::nullopt; }

// Decides by a trial with this result, and returns the reason for the only subgraph's decision, or "taken: " and the reason.
std::string decision_by(const Result<ComparedTimes>& result) {
  const Graph graph = around("Abs");
  const auto measure = [&](const Graph& part) {
    EXPECT_EQ(part.nodes.size(), 3u);
    return result;
  };
  const auto capability = assess(graph, {}, cpu(), Trials{nothing_kept, measure});
  EXPECT_TRUE(capability) << capability.error().message;
  const Subgraph& subgraph = capability->subgraphs.at(0);
  return (subgraph.is_taken ? "taken: " : "") + subgraph.reason;
}

TEST(Capability, ATrialDecides) {
  EXPECT_EQ(decision_by(ComparedTimes{100e-6, 200e-6, true, {}}),
            "taken: measured 112 us on nnvk and 200 us on ONNX Runtime's CPU provider");
  EXPECT_EQ(decision_by(ComparedTimes{200e-6, 100e-6, true, {}}),
            "measured 212 us on nnvk and 100 us on ONNX Runtime's CPU provider");
  EXPECT_THAT(decision_by(fail("it cannot be tried")),
              AllOf(HasSubstr("predicted"), HasSubstr("; not measured: it cannot be tried")));
}

Result<ComparedTimes> never(const Graph&) {
  ADD_FAILURE() << "measured for nothing";
  return ComparedTimes{};
}

TEST(Capability, KeptTimesDecideWithoutATrial) {
  const auto kept = [](double on_device) {
    return Trials{[=](const Graph&) { return std::optional(ComparedTimes{on_device, 200e-6, true, {}}); }, never};
  };
  const auto taken = assess(around("Abs"), {}, cpu(), kept(100e-6));
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_TRUE(taken->subgraphs.at(0).is_taken);
  const auto left = assess(around("Abs"), {}, cpu(), kept(195e-6));
  ASSERT_TRUE(left) << left.error().message;
  EXPECT_FALSE(left->subgraphs.at(0).is_taken) << "with the runtime's call it takes longer";
  EXPECT_EQ(left->subgraphs.at(0).reason, "measured 207 us on nnvk and 200 us on ONNX Runtime's CPU provider");
}

TEST(Capability, NothingIsTriedIfOtherOptionsDecide) {
  const auto recall = [](const Graph&) -> std::optional<ComparedTimes> {
    ADD_FAILURE() << "asked for nothing";
    return std::nullopt;
  };
  const Trials trials{recall, never};
  Options predicts;
  predicts.measures = false;
  EXPECT_TRUE(assess(around("Abs"), predicts, cpu(), trials));
  Options options = any_size();
  options.measures = true;
  EXPECT_TRUE(assess(around("Abs"), options, cpu(), trials)) << "min_nodes decides alone";
}

// Of all products, nnvk-cpu's of signed bytes gain most over ONNX Runtime's.
TEST(Capability, TakesLargeProductsOfSignedBytes) {
  constexpr int64_t kSize = 512;
  const auto bytes = importers::onnx::ElementType::kInt8;
  const Graph graph = GraphMaker()
                          .input("x", {kSize, kSize}, bytes)
                          .constant<int8_t>("w", {kSize, kSize}, std::vector<int8_t>(kSize * kSize, 3), bytes)
                          .constant("scale", {}, {0.02F})
                          .constant<int8_t>("zero", {}, {0}, bytes)
                          .node("QLinearMatMul", {"x", "scale", "zero", "w", "scale", "zero", "scale", "zero"}, {"y"})
                          .output("y", bytes)
                          .graph();
  const auto capability = assess(graph, {}, cpu());
  ASSERT_TRUE(capability) << capability.error().message;
  EXPECT_THAT(taken(graph, {}), ElementsAre(ElementsAre(0))) << report(graph, *capability);
}

TEST(Capability, JudgesOpenShapesByExamples) {
  const Graph graph =
      GraphMaker().input("x", {-1, 8, -1}).node("Relu", {"x"}, {"a"}).node("Add", {"a", "x"}, {"y"}).output("y").graph();
  EXPECT_THAT(taken(graph, any_size()), ElementsAre(ElementsAre(0, 1)));
}

}  // namespace
}  // namespace nnvk::clients::onnxruntime
