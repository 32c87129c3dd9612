// The text and drawings of `nnvk explain`, from hand-made descriptions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/reports/dot.h"
#include "tools/reports/explanation.h"

namespace nnvk::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

// input -> TANH -> RELU -> output. A MUL, whose result is also an output, reads the RELU twice.
ModelBuilder chain() {
  auto model = *ModelBuilder::create();
  const OperandInfo tensor{ANEURALNETWORKS_TENSOR_FLOAT32, {2, 3}};
  uint32_t ids[4];
  for (auto& id : ids) id = *model.add_operand(tensor);
  const uint32_t none = *model.add_int32(0);
  EXPECT_TRUE(model.add_operation(ANEURALNETWORKS_TANH, std::array{ids[0]}, std::array{ids[1]}, "operator 0"));
  EXPECT_TRUE(model.add_operation(ANEURALNETWORKS_RELU, std::array{ids[1]}, std::array{ids[2]}, "operator 1"));
  EXPECT_TRUE(model.add_operation(ANEURALNETWORKS_MUL, std::array{ids[2], ids[2], none}, std::array{ids[3]}, "operator 2"));
  EXPECT_TRUE(model.finish(std::array{ids[0]}, std::array{ids[2], ids[3]}));
  return model;
}

constexpr const char* kAnswers = R"({"operations": [
  {"index": 0, "devices": [{"device": "gpu", "supported": true, "reason": "", "predicted_seconds": 0.001}]},
  {"index": 1, "devices": [{"device": "gpu", "supported": true, "reason": "", "predicted_seconds": 0.002}]},
  {"index": 2, "devices": [{"device": "gpu", "supported": false, "reason": "the \"moon\" is full", "predicted_seconds": 0}]}]})";

Explanation explained() {
  const auto model = chain();
  auto explanation =
      explain(model, {.operations = {"operator 0", "operator 1", "operator 2"}, .inputs = {"image"}, .outputs = {}}, kAnswers);
  EXPECT_TRUE(explanation);
  explanation->device = "gpu";
  return *explanation;
}

TEST(Explanation, KnowsWhoReadsWhom) {
  const auto e = explained();
  ASSERT_EQ(e.operations.size(), 3U);
  EXPECT_TRUE(e.operations[0].producers.empty());
  EXPECT_EQ(e.operations[2].producers, (std::vector<size_t>{1})) << "read twice, named once";
  EXPECT_FALSE(e.operations[0].is_result);
  EXPECT_TRUE(e.operations[1].is_result);
  EXPECT_TRUE(e.operations[2].is_result);
  EXPECT_EQ(e.operations[0].model_inputs, std::vector<size_t>{0});
  EXPECT_TRUE(e.operations[2].model_inputs.empty());
  ASSERT_EQ(e.inputs.size(), 1U);
  EXPECT_EQ(e.inputs[0].name, "image");
  EXPECT_EQ(e.inputs[0].type, "FLOAT32 [2,3]");
  ASSERT_EQ(e.outputs.size(), 2U);
  EXPECT_EQ(e.outputs[1].name, "");
  EXPECT_EQ(e.outputs[1].producer, std::optional<size_t>(2));
}

TEST(Explanation, KnowsWhatADeviceComputesInOneStep) {
  auto e = explained();
  Placement placement;
  placement.partitions = {{"gpu", 3, 0.001, 0, 0}};
  placement.operations = {{"TANH", "gpu", false}, {"RELU", "gpu", false}, {"MUL", "gpu", false}};
  add_placement(e, placement);
  ProfiledNode node;
  node.operation = 0;
  node.seconds = 0.001;
  node.merged_operations = {1, 99};
  add_measurement(e, {node});
  EXPECT_EQ(e.operations[1].merged_into, std::optional<size_t>(0));
  EXPECT_FALSE(e.operations[0].merged_into);
  EXPECT_THAT(to_text(e), HasSubstr("(in operation 0)"));
  EXPECT_EQ(to_json(e)["operations"][1]["merged_into"], 0);
  EXPECT_EQ(to_json(e)["operations"][0]["model_inputs"], nlohmann::json({0}));
}

TEST(Explanation, SaysWhereEverythingRunsAndHowLong) {
  auto e = explained();
  Placement placement;
  placement.partitions = {{"gpu", 2, 0.001, 0.0001, 48}};
  placement.operations = {{"TANH", "gpu", false}, {"RELU", "", true}, {"MUL", "gpu", false}};
  add_placement(e, placement);
  ProfiledNode dispatch;
  dispatch.seconds = 0.0005;
  ProfiledNode another;
  another.seconds = 0.0007;
  add_measurement(e, {dispatch, another});
  const auto text = to_text(e);
  EXPECT_THAT(text, HasSubstr("1.200")) << "two dispatches of one operation";
  EXPECT_THAT(text, HasSubstr("(merged into others)"));
  EXPECT_THAT(text, HasSubstr("gpu declines it: the \"moon\" is full"));
  EXPECT_THAT(text, Not(HasSubstr("2.000"))) << "folded operations take no time";
}

TEST(Explanation, SeveralPartitionsAreListedAndFramed) {
  auto e = explained();
  Placement placement;
  placement.partitions = {{"gpu", 1, 0.001, 0.0001, 48}, {"cpu", 2, 0.002, 0.0, 24}};
  placement.operations = {{"TANH", "gpu", false, 0}, {"RELU", "cpu", false, 1}, {"MUL", "cpu", false, 1}};
  add_placement(e, placement);
  const auto text = to_text(e);
  EXPECT_THAT(text, HasSubstr("partition 0   gpu "));
  EXPECT_THAT(text, HasSubstr("predicted 2.000 ms and 0.000 ms to start it and move 24 bytes; measured - ms"));
  const auto dot = to_dot(e);
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_0 { label=\"0: gpu\"; op0; }"));
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_1 { label=\"1: cpu\"; op1; op2; }"));
  EXPECT_EQ(to_json(e)["partitions"][1]["operations"], 2);
  EXPECT_EQ(to_json(e)["operations"][2]["partition"], 1);
}

TEST(Explanation, AModelThatADeviceDeclinesIsExplainedAllTheSame) {
  auto e = explained();
  e.refusal = "MUL is declined";
  const auto text = to_text(e);
  EXPECT_THAT(text, HasSubstr("(not compiled)"));
  EXPECT_THAT(text, HasSubstr("gpu does not run the whole model: MUL is declined"));
  EXPECT_EQ(to_json(e)["refusal"], "MUL is declined");
  EXPECT_TRUE(to_json(e)["operations"][0]["measured_seconds"].is_null());
}

TEST(Explanation, DrawsAnEdgePerReader) {
  const auto dot = to_dot(explained());
  EXPECT_THAT(dot, HasSubstr("input0 -> op0;"));
  EXPECT_THAT(dot, HasSubstr("op0 -> op1;"));
  EXPECT_THAT(dot, HasSubstr("op1 -> op2;"));
  EXPECT_THAT(dot, HasSubstr("op1 -> output0;"));
  EXPECT_THAT(dot, HasSubstr("op2 -> output1;"));
  EXPECT_THAT(dot, HasSubstr("[label=\"0 TANH\\nFLOAT32 [2,3]"));
}

TEST(Explanation, ADescriptionOfAnotherModelIsAnError) {
  const auto model = chain();
  EXPECT_FALSE(explain(model, {}, R"({"operations": []})"));
  EXPECT_FALSE(explain(model, {}, "not JSON"));
}

}  // namespace
}  // namespace nnvk::tools
