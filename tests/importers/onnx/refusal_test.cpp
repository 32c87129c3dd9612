// Graphs that cannot be imported: the error names node and reason.
#include <gmock/gmock.h>

#include "importers/onnx/operator_call.h"
#include "tests/importers/onnx/graph_builder.h"

namespace nnvk::importers::onnx {
namespace {

using ::testing::HasSubstr;

TEST(OnnxRefusal, ACycleIsNamed) {
  GraphBuilder builder;
  const int x = builder.input({2});
  const int a = builder.node("Add", {x, x});
  const int b = builder.node("Neg", {a});
  builder.graph().nodes[0].inputs[1] = b;
  EXPECT_THAT(error_of(builder.take({b})), HasSubstr("node 0 (Add): it depends on its own result"));
}

TEST(OnnxRefusal, ValuesThatNothingWritesAreNamed) {
  GraphBuilder builder;
  builder.input({2});
  builder.graph().values.emplace_back().name = "lost";
  const int y = builder.node("Neg", {1});
  EXPECT_THAT(error_of(builder.take({y})), HasSubstr("node 0 (Neg): nothing writes its input 'lost'"));
}

TEST(OnnxRefusal, ValuesWrittenTwiceAreNamed) {
  GraphBuilder builder;
  const int x = builder.input({2});
  const int y = builder.node("Neg", {x});
  builder.node("Abs", {x});
  builder.graph().nodes[1].outputs[0] = y;
  EXPECT_THAT(error_of(builder.take({y})), HasSubstr("already has a value"));
}

TEST(OnnxRefusal, IndexesOutsideTheGraphAreErrors) {
  GraphBuilder builder;
  builder.input({2});
  const int y = builder.node("Neg", {77});
  EXPECT_THAT(error_of(builder.take({y})), HasSubstr("value 77 does not exist"));
}

TEST(OnnxRefusal, TypesThatNnapiDoesNotHaveAreNamed) {
  GraphBuilder builder;
  const int x = builder.input({2}, ElementType::kDouble);
  const int y = builder.node("Neg", {x});
  EXPECT_THAT(error_of(builder.take({y})), HasSubstr("DOUBLE [2] has a type that NNAPI does not have"));
}

TEST(OnnxRefusal, ADeclaredTypeThatDiffersIsAnError) {
  GraphBuilder builder;
  const int x = builder.input({2, 3});
  const int y = builder.node("Neg", {x});
  auto& declared = builder.graph().values[static_cast<size_t>(y)];
  declared.type = ElementType::kFloat;
  declared.has_rank = true;
  declared.dimensions = {2, 4};
  EXPECT_THAT(error_of(builder.take({y})), HasSubstr("declared as"));
}

TEST(OnnxRefusal, AttributesOutOfRangeAreErrors) {
  const auto with = [](const Attribute& attribute) {
    GraphBuilder builder;
    const int x = builder.input({1, 1, 4, 4});
    const int w = builder.floats({1, 1, 3, 3}, std::vector<float>(9));
    return error_of(builder.take({builder.node("Conv", {x, w}, {attribute})}));
  };
  EXPECT_THAT(with(ints("strides", {0, 1})), HasSubstr("node 0 (Conv): a stride must be from 1 to 1048576, but is 0"));
  EXPECT_THAT(with(ints("pads", {-1, 0, 0, 0})), HasSubstr("a padding must be from 0 to 1048576, but is -1"));
  EXPECT_THAT(with(ints("pads", {1})), HasSubstr("'pads' has 1 elements instead of 4"));
  EXPECT_THAT(with(ints("dilations", {INT64_MAX, 1})), HasSubstr("a dilation must be"));
  EXPECT_THAT(with(integer("group", 0)), HasSubstr("0 groups"));
  EXPECT_THAT(with(text("strides", "2")), HasSubstr("'strides' must be a list of integers"));
}

TEST(OnnxRefusal, AModelBeyondItsMemoryIsAnError) {
  GraphBuilder builder;
  const int x = builder.input({1024, 1024});
  const int y = builder.node("Expand", {x, builder.integers({64, 1024, 1024})});
  EXPECT_THAT(error_of(builder.take({y}), {.memory = uint64_t{64} << 20}), HasSubstr("64 MiB"));
}

TEST(OnnxRefusal, OpsetsOutsideTheKnownRangeAreNamed) {
  GraphBuilder builder(6);
  const int x = builder.input({2});
  const int y = builder.node("PRelu", {x, x});
  EXPECT_THAT(error_of(builder.take({y})), HasSubstr("opset 6, but the importer knows this operator of opsets 7 to 23 only"));
}

TEST(OnnxRefusal, BroadcastingOfOldModelsMustBeSaid) {
  const auto error = [](std::vector<int64_t> second, std::vector<Attribute> attributes) {
    GraphBuilder builder(6);
    const int x = builder.input({2, 3, 4});
    const int y = builder.node("Mul", {x, builder.input(std::move(second))}, std::move(attributes));
    return error_of(builder.take({y}));
  };
  EXPECT_THAT(error({4}, {}), HasSubstr("needs the attribute 'broadcast'"));
  EXPECT_THAT(error({3, 4}, {integer("broadcast", 1), integer("axis", 2)}), HasSubstr("at axis 2"));
  EXPECT_THAT(error({1, 2, 3, 4}, {integer("broadcast", 1)}), HasSubstr("cannot broadcast"));
}

TEST(OnnxRefusal, EachNodeIsJudgedAlone) {
  GraphBuilder builder;
  const int x = builder.input({2, 3});
  const int a = builder.node("Neg", {x});
  const int b = builder.node("NonZero", {a});
  auto& middle = builder.graph().values[static_cast<size_t>(b)];
  middle.type = ElementType::kInt64;
  middle.has_rank = true;
  middle.dimensions = {2, -1};
  const int c = builder.node("Abs", {b});
  const int d = builder.node("Tan", {a});
  const int e = builder.node("Exp", {d});
  const auto reasons = refusals(builder.take({c, e}), {});
  ASSERT_EQ(reasons.size(), 5u);
  EXPECT_FALSE(reasons[0]);
  EXPECT_THAT(reasons[1].value_or(""), HasSubstr("node 1 (NonZero): the size of its result depends on the data"));
  EXPECT_FALSE(reasons[2]) << *reasons[2];
  EXPECT_THAT(reasons[3].value_or(""), HasSubstr("no such function"));
  EXPECT_THAT(reasons[4].value_or(""), HasSubstr("the importer does not take the node that writes it"));
}

TEST(OnnxRefusal, NoOperatorSurvivesMissingInputs) {
  for (const OperatorRow& row : known_operators()) {
    GraphBuilder builder(23);
    builder.input({1});
    const int y = builder.node(std::string(row.name), {}, {}, 1, std::string(row.domain));
    EXPECT_NE(error_of(builder.take({y})), "") << row.name;
  }
}

}  // namespace
}  // namespace nnvk::importers::onnx
