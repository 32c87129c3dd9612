#include "clients/onnxruntime_provider/subgraphs.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "tests/importers/onnx/graphs.h"

namespace nnvk::clients::onnxruntime {
namespace {

using test::GraphMaker;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names(const Graph& graph, const std::vector<int>& values) {
  std::vector<std::string> names;
  for (const int value : values) names.push_back(graph.values[static_cast<size_t>(value)].name);
  return names;
}

// 0 -> 1 -> 2 -> 3, and 0 -> 3.
GraphMaker chain_with_shortcut() {
  return GraphMaker()
      .input("x", {4})
      .node("Relu", {"x"}, {"a"})
      .node("Abs", {"a"}, {"b"})
      .node("Neg", {"b"}, {"c"})
      .node("Add", {"c", "a"}, {"y"})
      .output("y");
}

TEST(ConvexGroups, HoldAWholeGraph) {
  EXPECT_THAT(convex_groups(chain_with_shortcut().graph(), {true, true, true, true}), ElementsAre(ElementsAre(0, 1, 2, 3)));
}

TEST(ConvexGroups, EndWhereAPathLeavesAndComesBack) {
  EXPECT_THAT(convex_groups(chain_with_shortcut().graph(), {true, false, true, true}),
              ElementsAre(ElementsAre(0), ElementsAre(2, 3)));
}

TEST(ConvexGroups, AreEmptyWithoutTakenNodes) {
  EXPECT_THAT(convex_groups(chain_with_shortcut().graph(), {false, false, false, false}), IsEmpty());
}

TEST(ConvexGroups, KeepUnconnectedNodesApart) {
  const Graph graph =
      GraphMaker().input("x", {1}).node("Relu", {"x"}, {"a"}).node("Neg", {"x"}, {"b"}).output("a").output("b").graph();
  EXPECT_THAT(convex_groups(graph, {true, true}), ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST(ConvexGroups, TakeANodeTowardsItsOnlyReaders) {
  // 0 (not taken) -> 2; 1 -> 2: node 1 joins 2, and its result stays inside.
  const Graph graph = GraphMaker()
                          .input("x", {1})
                          .node("NonZero", {"x"}, {"a"})
                          .node("Relu", {"x"}, {"b"})
                          .node("Add", {"a", "b"}, {"y"})
                          .output("y")
                          .graph();
  EXPECT_THAT(convex_groups(graph, {false, true, true}), ElementsAre(ElementsAre(1, 2)));
}

TEST(ConvexGroups, LeaveOutCycles) {
  const Graph graph = GraphMaker()
                          .input("x", {1})
                          .node("Add", {"x", "b"}, {"a"})
                          .node("Relu", {"a"}, {"b"})
                          .node("Neg", {"x"}, {"y"})
                          .output("y")
                          .graph();
  EXPECT_THAT(convex_groups(graph, {true, true, true}), ElementsAre(ElementsAre(2)));
}

// Follows all paths from a group; they must not come back through a node outside.
bool is_convex(const Graph& graph, const NodeGroup& group) {
  std::vector<bool> inside(graph.nodes.size(), false);
  for (const size_t n : group) inside[n] = true;
  std::vector<bool> is_behind(graph.values.size(), false);  // the value depends on a node outside that depends on the group
  std::vector<bool> is_of_group(graph.values.size(), false);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {  // in running order
    bool reads_behind = false;
    bool reads_group = false;
    for (const int input : graph.nodes[n].inputs) {
      reads_behind = reads_behind || is_behind[static_cast<size_t>(input)];
      reads_group = reads_group || is_of_group[static_cast<size_t>(input)];
    }
    if (inside[n] && reads_behind) return false;
    for (const int output : graph.nodes[n].outputs) {
      is_of_group[static_cast<size_t>(output)] = inside[n];
      is_behind[static_cast<size_t>(output)] = !inside[n] && (reads_behind || reads_group);
    }
  }
  return true;
}

TEST(ConvexGroups, AreConvexAndCompleteInRandomGraphs) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    GraphMaker maker;
    maker.input("v0", {1});
    const int nodes = 3 + static_cast<int>(random() % 25);
    std::vector<bool> taken;
    for (int n = 0; n < nodes; ++n) {
      const auto any = [&] { return "v" + std::to_string(random() % static_cast<unsigned>(n + 1)); };
      maker.node("Add", {any(), any()}, {"v" + std::to_string(n + 1)});
      taken.push_back(random() % 4 != 0);
    }
    const Graph graph = maker.output("v" + std::to_string(nodes)).graph();
    const auto groups = convex_groups(graph, taken);
    std::vector<size_t> all;
    for (const NodeGroup& group : groups) {
      EXPECT_TRUE(is_convex(graph, group)) << "round " << round;
      all.insert(all.end(), group.begin(), group.end());
    }
    std::ranges::sort(all);
    std::vector<size_t> expected;
    for (size_t n = 0; n < taken.size(); ++n) {
      if (taken[n]) expected.push_back(n);
    }
    EXPECT_EQ(all, expected);
  }
}

// A graph in which the results of all nodes have known shapes.
Graph with_known_shapes(const GraphMaker& maker) {
  Graph graph = maker.graph();
  for (Value& value : graph.values) {
    if (value.has_rank) continue;
    value.has_rank = true;
    value.dimensions = {2};
  }
  return graph;
}

// 0 -> 1 -> 2 -> 3 with 8 bytes of weights each.
GraphMaker chain_of_layers() {
  GraphMaker maker;
  maker.input("v0", {2});
  for (int n = 0; n < 4; ++n) {
    const std::string weight = "w" + std::to_string(n);
    maker.constant(weight, {2}, {1, 2});
    maker.node("Mul", {"v" + std::to_string(n), weight}, {"v" + std::to_string(n + 1)});
  }
  return maker.output("v4");
}

TEST(Segments, AGraphWithFewConstantsIsOne) {
  EXPECT_THAT(segments_of(with_known_shapes(chain_of_layers()), 32), ElementsAre(ElementsAre(0, 1, 2, 3)));
}

TEST(Segments, HoldAsManyBytesOfConstantsAsTheyMay) {
  EXPECT_THAT(segments_of(with_known_shapes(chain_of_layers()), 16), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_THAT(segments_of(with_known_shapes(chain_of_layers()), 31), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3)));
}

TEST(Segments, ALayerWithMoreBytesStandsAlone) {
  EXPECT_THAT(segments_of(with_known_shapes(chain_of_layers()), 1),
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2), ElementsAre(3)));
}

TEST(Segments, AConstantThatSeveralNodesReadCountsOnce) {
  const Graph graph = with_known_shapes(GraphMaker()
                                            .input("x", {2})
                                            .constant("w", {2}, {1, 2})
                                            .node("Mul", {"x", "w"}, {"a"})
                                            .node("Add", {"a", "w"}, {"y"})
                                            .output("y"));
  EXPECT_THAT(segments_of(graph, 8), ElementsAre(ElementsAre(0, 1)));
}

TEST(Segments, DoNotEndWhereTwoValuesCross) {
  const Graph graph = with_known_shapes(GraphMaker()
                                            .input("x", {2})
                                            .constant("w", {2}, {1, 2})
                                            .constant("v", {2}, {1, 2})
                                            .node("Mul", {"x", "w"}, {"a"})
                                            .node("Mul", {"a", "v"}, {"b"})
                                            .node("Add", {"b", "a"}, {"c"})
                                            .node("Mul", {"c", "w"}, {"y"})
                                            .output("y"));
  EXPECT_THAT(segments_of(graph, 8), ElementsAre(ElementsAre(0), ElementsAre(1, 2), ElementsAre(3)));
}

TEST(Segments, DoNotEndWhereTheShapeIsUnknown) {
  const Graph graph = chain_of_layers().graph();
  EXPECT_THAT(segments_of(graph, 8), ElementsAre(ElementsAre(0, 1, 2, 3)));
}

TEST(Segments, KeepALayerWithItsQuantization) {
  const Graph graph = with_known_shapes(GraphMaker()
                                            .input("x", {2})
                                            .constant("s", {1}, {1})
                                            .constant("w", {2}, {1, 2})
                                            .constant("v", {2}, {1, 2})
                                            .node("DequantizeLinear", {"x", "s"}, {"a"})
                                            .node("Mul", {"a", "w"}, {"b"})
                                            .node("QuantizeLinear", {"b", "s"}, {"c"})
                                            .node("DequantizeLinear", {"c", "s"}, {"d"})
                                            .node("Mul", {"d", "v"}, {"e"})
                                            .node("QuantizeLinear", {"e", "s"}, {"y"})
                                            .output("y"));
  EXPECT_THAT(segments_of(graph, 12), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5)));
}

TEST(Segments, HaveTheNodesThatReadOnlyConstantsWhereTheirResultsAreRead) {
  const Graph graph = with_known_shapes(GraphMaker()
                                            .input("x", {2})
                                            .constant("s", {1}, {1})
                                            .constant("w", {2}, {1, 2})
                                            .constant("v", {2}, {1, 2})
                                            .node("DequantizeLinear", {"w", "s"}, {"a"})
                                            .node("DequantizeLinear", {"v", "s"}, {"b"})
                                            .node("Mul", {"x", "a"}, {"c"})
                                            .node("Mul", {"c", "b"}, {"y"})
                                            .output("y"));
  EXPECT_THAT(segments_of(graph, 12), ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
}

TEST(Segments, AreCompleteAndFollowEachOtherInRandomGraphs) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    GraphMaker maker;
    maker.input("v0", {2}).constant("w", {2}, {1, 2}).constant("u", {2}, {1, 2});
    const int nodes = 3 + static_cast<int>(random() % 25);
    for (int n = 0; n < nodes; ++n) {
      const std::string previous = "v" + std::to_string(n);
      const std::string other = random() % 2 == 0 ? (random() % 2 == 0 ? "w" : "u") : "v" + std::to_string(random() % (n + 1U));
      maker.node("Add", {previous, other}, {"v" + std::to_string(n + 1)});
    }
    const Graph graph = with_known_shapes(maker.output("v" + std::to_string(nodes)));
    size_t next = 0;
    for (const NodeGroup& segment : segments_of(graph, 8)) {
      EXPECT_EQ(cut_out(graph, segment).inputs.size(), 1u) << "round " << round;
      for (const size_t n : segment) EXPECT_EQ(n, next++);
    }
    EXPECT_EQ(next, graph.nodes.size()) << "round " << round;
  }
}

TEST(CutOut, HasTheValuesThatCrossItsEdge) {
  const Graph whole = GraphMaker()
                          .input("x", {2})
                          .constant("w", {2}, {1, 2})
                          .node("Relu", {"x"}, {"a"})
                          .node("Mul", {"a", "w"}, {"b"})
                          .node("Neg", {"b"}, {"c"})
                          .node("Add", {"b", "c"}, {"y"})
                          .output("y")
                          .output("b")
                          .graph();
  const Graph part = cut_out(whole, {1, 2});
  EXPECT_THAT(names(part, part.inputs), ElementsAre("a"));
  EXPECT_THAT(names(part, part.outputs), ElementsAre("b", "c"));
  ASSERT_EQ(part.nodes.size(), 2u);
  EXPECT_THAT(names(part, part.nodes[0].inputs), ElementsAre("a", "w"));
  const Value& weight = part.values[static_cast<size_t>(part.nodes[0].inputs[1])];
  EXPECT_TRUE(weight.constant);
  EXPECT_EQ(weight.data.data(), whole.values[1].data.data());  // in place
}

TEST(CutOut, KeepsOmittedInputs) {
  const Graph whole = GraphMaker().input("x", {2}).node("Clip", {"x", "", "x"}, {"y"}).output("y").graph();
  const Graph part = cut_out(whole, {0});
  EXPECT_THAT(part.nodes[0].inputs, ElementsAre(part.inputs[0], -1, part.inputs[0]));
  EXPECT_EQ(part.inputs.size(), 1u);
}

}  // namespace
}  // namespace nnvk::clients::onnxruntime
