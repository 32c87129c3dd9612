// The Graphviz text of a model.
#include "core/model/graph_dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/model.h"

namespace nnvk {
namespace {

TEST(GraphDump, NamesOperandsOperationsAndTheirOrder) {
  ExtensionRegistry extensions;
  Model model(extensions);
  const uint32_t dims[] = {1, 2};
  const OperandTypeDescription tensor{3, dims, 2, 0.0F, 0};
  const OperandTypeDescription scalar{1, nullptr, 0, 0.0F, 0};
  ASSERT_TRUE(model.add_operand(tensor));
  ASSERT_TRUE(model.add_operand(tensor));
  ASSERT_TRUE(model.add_operand(scalar));
  ASSERT_TRUE(model.add_operand(tensor));
  const float values[] = {1.0F, 2.0F};
  const int32_t none = 0;
  ASSERT_TRUE(model.set_operand_value(1, values, sizeof values));
  ASSERT_TRUE(model.set_operand_value(2, &none, sizeof none));
  const uint32_t inputs[] = {0, 1, 2};
  const uint32_t outputs[] = {3};
  ASSERT_TRUE(model.add_operation(0, inputs, outputs));
  ASSERT_TRUE(model.identify_inputs_and_outputs({inputs, 1}, outputs));
  ASSERT_TRUE(model.finish());
  EXPECT_THAT(graph_lines(model, "ModelBuilder::finish"),
              testing::ElementsAre("// ModelBuilder::finish", "digraph {",
                                   "    d0 [style=filled fillcolor=black fontcolor=white label=\"0 = input[0]\\nTF32(1x2)\"]",
                                   "    d1 [label=\"1: COPY\\nTF32(1x2)\"]", "    d2 [label=\"2: COPY\\nI32 = 0\"]",
                                   "    d3 [style=filled fillcolor=black fontcolor=white label=\"3 = output[0]\\nTF32(1x2)\"]",
                                   "    n0 [shape=box ordering=in label=\"0: ADD\"]", "    d0 -> n0 [label=0]",
                                   "    d1 -> n0 [label=1]", "    d2 -> n0 [label=2]", "    n0 -> d3", "}"));
}

}  // namespace
}  // namespace nnvk
