// Tensors of more than four dimensions, which exist between operations only.
#include <gmock/gmock.h>

#include <numeric>

#include "tests/importers/onnx/graph_builder.h"

namespace nnvk::importers::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<float> counted(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

TEST(OnnxRank, AShuffleOfChannelsIsOneTransposition) {
  GraphBuilder builder;
  const int x = builder.input({1, 6, 2, 2});
  const int groups = builder.node("Reshape", {x, builder.integers({1, 2, 3, 2, 2})});
  const int turned = builder.node("Transpose", {groups}, {ints("perm", {0, 2, 1, 3, 4})});
  const int y = builder.node("Reshape", {turned, builder.integers({1, 6, 2, 2})});
  const auto graph = builder.take({y});
  EXPECT_THAT(operations_of(graph), ElementsAre("RESHAPE", "TRANSPOSE", "RESHAPE"));
  const auto results = run(graph, {counted(24)});
  ASSERT_EQ(results.size(), 24u);
  const size_t channels[] = {0, 3, 1, 4, 2, 5};
  for (size_t c = 0; c < 6; ++c) {
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(results[c * 4 + i], static_cast<float>(channels[c] * 4 + i)) << c << ' ' << i;
  }
}

// As PyTorch exports PixelShuffle; NNAPI transposes at most four dimensions at once.
TEST(OnnxRank, APixelShuffleIsTwoTranspositions) {
  for (const int64_t channels : {1, 3}) {
    GraphBuilder builder;
    const int x = builder.input({1, channels * 4, 2, 3});
    const int split = builder.node("Reshape", {x, builder.integers({1, channels, 2, 2, 2, 3})});
    const int turned = builder.node("Transpose", {split}, {ints("perm", {0, 1, 4, 2, 5, 3})});
    const int y = builder.node("Reshape", {turned, builder.integers({1, channels, 4, 6})});
    const auto graph = builder.take({y});
    const auto operations = operations_of(graph);
    EXPECT_EQ(std::ranges::count(operations, "TRANSPOSE"), channels == 1 ? 1 : 2);
    const auto results = run(graph, {counted(static_cast<size_t>(channels) * 24)});
    ASSERT_EQ(results.size(), static_cast<size_t>(channels) * 24);
    for (size_t i = 0; i < results.size(); ++i) {
      const size_t column = i % 6, row = i / 6 % 4, channel = i / 24;
      const size_t source = channel * 4 + row % 2 * 2 + column % 2;
      const size_t at = source * 6 + row / 2 * 3 + column / 2;
      EXPECT_EQ(results[i], static_cast<float>(at)) << i;
    }
  }
}

TEST(OnnxRank, AnOutputOfSixDimensionsMayHaveDimensionsOfOne) {
  GraphBuilder builder;
  const int x = builder.input({1, 4, 2, 3});
  const int split = builder.node("Reshape", {x, builder.integers({1, 1, 2, 2, 2, 3})});
  const int y = builder.node("Transpose", {split}, {ints("perm", {0, 1, 4, 2, 5, 3})});
  const auto results = run(builder.take({y}), {counted(24)});
  ASSERT_EQ(results.size(), 24u);
  EXPECT_EQ(std::vector<float>(results.begin(), results.begin() + 6), (std::vector<float>{0, 6, 1, 7, 2, 8}));
}

TEST(OnnxRank, WindowsOfAnImageAreOneTransposition) {
  GraphBuilder builder;
  const int x = builder.input({2, 4, 4, 3});
  const int split = builder.node("Reshape", {x, builder.integers({2, 2, 2, 2, 2, 3})});
  const int turned = builder.node("Transpose", {split}, {ints("perm", {0, 1, 3, 2, 4, 5})});
  const int y = builder.node("Reshape", {turned, builder.integers({8, 4, 3})});
  const auto results = run(builder.take({y}), {counted(96)});
  ASSERT_EQ(results.size(), 96u);
  for (size_t i = 0; i < 96; ++i) {
    const size_t c = i % 3, column = i / 3 % 2, row = i / 6 % 2, window = i / 12 % 4, batch = i / 48;
    const size_t source = ((batch * 4 + window / 2 * 2 + row) * 4 + window % 2 * 2 + column) * 3 + c;
    EXPECT_EQ(results[i], static_cast<float>(source)) << i;
  }
}

TEST(OnnxRank, PartsOfFiveDimensionsAreGathered) {
  GraphBuilder builder;
  const int x = builder.input({2, 3, 4});
  const int longer = builder.node("Reshape", {x, builder.integers({1, 2, 3, 2, 2})});
  const int y = builder.node("Gather", {longer, builder.constant<int64_t>(ElementType::kInt64, {}, {2})}, {integer("axis", 2)});
  const auto results = run(builder.take({y}), {counted(24)});
  EXPECT_THAT(results, ElementsAre(8, 9, 10, 11, 20, 21, 22, 23));
}

TEST(OnnxRank, FiveDimensionsBroadcastWhereNeighboursDoAlike) {
  GraphBuilder builder;
  const int x = builder.input({2, 3, 4});
  const int longer = builder.node("Reshape", {x, builder.integers({1, 2, 3, 2, 2})});
  const int sum = builder.node("Add", {longer, builder.floats({3, 1, 1}, {100, 200, 300})});
  const int negative = builder.node("Neg", {sum});
  const int y = builder.node("Reshape", {negative, builder.integers({2, 3, 4})});
  const auto results = run(builder.take({y}), {counted(24)});
  ASSERT_EQ(results.size(), 24u);
  for (size_t i = 0; i < 24; ++i) EXPECT_EQ(results[i], -static_cast<float>(i + 100 * (1 + i / 4 % 3))) << i;
}

// A node whose result of five dimensions would have to leave the model stays outside, and so does no other.
TEST(OnnxRank, AResultThatNnapiCannotHoldIsRefusedBeforeItIsExposed) {
  GraphBuilder builder;
  const int x = builder.input({2, 3, 4});
  const int a = builder.node("Neg", {x});
  const int longer = builder.node("Reshape", {a, builder.integers({1, 2, 3, 2, 2})});
  const int det = builder.node("Det", {longer});
  const auto graph = builder.take({det});
  const auto reasons = refusals(graph, {});
  ASSERT_EQ(reasons.size(), 3u);
  EXPECT_FALSE(reasons[0]) << *reasons[0];
  EXPECT_THAT(reasons[1].value_or(""), HasSubstr("NNAPI has no tensor of the shape of its result"));
  EXPECT_TRUE(reasons[2]);
}

}  // namespace
}  // namespace nnvk::importers::onnx
