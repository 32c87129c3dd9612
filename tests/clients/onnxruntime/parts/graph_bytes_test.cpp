#include "clients/onnxruntime_provider/graph_bytes.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/importers/onnx/graphs.h"

namespace nnvk::clients::onnxruntime {
namespace {

using testing::HasSubstr;

Graph every_kind() {
  Graph graph = test::GraphMaker()
                    .input("x", {-1, 2})
                    .constant("w", {2}, {1, 2})
                    .node("Mul", {"x", "w"}, {"a"})
                    .node("Clip", {"a", "", "w"}, {"y"})
                    .output("y")
                    .graph();
  graph.nodes[0].attributes = {{"i", int64_t{-7}},
                               {"f", 0.5F},
                               {"s", std::string("a\0b", 3)},
                               {"is", std::vector<int64_t>{1, 2}},
                               {"fs", std::vector<float>{0.5F}},
                               {"ss", std::vector<std::string>{"x", ""}},
                               {"t", graph.values[1]}};
  return graph;
}

Result<Graph> read(std::string bytes) { return graph_from(std::make_shared<const std::string>(std::move(bytes))); }

TEST(GraphBytes, HoldTheWholeGraph) {
  const std::string bytes = to_bytes(every_kind());
  const auto graph = read(bytes);
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(to_bytes(*graph), bytes);
  EXPECT_EQ(graph->values[1].name, "w");
  EXPECT_TRUE(std::ranges::equal(graph->values[1].data, every_kind().values[1].data));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(graph->values[1].data.data()) % alignof(float), 0u);
  EXPECT_EQ(std::get<std::string>(graph->nodes[0].attributes[2].value), std::string("a\0b", 3));
  EXPECT_EQ(graph->nodes[1].inputs[1], -1);
}

TEST(GraphBytes, CutAnywhereAreAnError) {
  const std::string bytes = to_bytes(every_kind());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto graph = read(bytes.substr(0, size));
    ASSERT_FALSE(graph) << "cut to " << size;
    EXPECT_THAT(graph.error().message, HasSubstr("EPContext"));
  }
}

TEST(GraphBytes, ChangedAnywhereAreReadOrAnError) {
  const std::string bytes = to_bytes(every_kind());
  for (size_t place = 0; place < bytes.size(); ++place) {
    for (const char other : {'\0', '\x7f', '\xff'}) {
      std::string changed = bytes;
      changed[place] = other;
      const auto graph = read(changed);
      if (!graph) continue;
      for (const Node& node : graph->nodes) {
        for (const int input : node.inputs) EXPECT_LT(input, static_cast<int>(graph->values.size()));
      }
    }
  }
}

}  // namespace
}  // namespace nnvk::clients::onnxruntime
