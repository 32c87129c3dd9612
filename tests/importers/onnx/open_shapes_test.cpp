#include "importers/onnx/open_shapes.h"

#include <gmock/gmock.h>

#include "tests/importers/onnx/graphs.h"

namespace nnvk::importers::onnx {
namespace {

using test::GraphMaker;
using testing::ElementsAre;
using testing::HasSubstr;

Graph sum(std::vector<int64_t> a, std::vector<int64_t> b) {
  return GraphMaker().input("a", std::move(a)).input("b", std::move(b)).node("Add", {"a", "b"}, {"y"}).output("y").graph();
}

TEST(OpenShapes, AreThoseWithoutADimension) {
  EXPECT_FALSE(has_open_inputs(sum({1, 2}, {})));
  EXPECT_TRUE(has_open_inputs(sum({1, -1}, {1, 2})));
  Graph unranked = sum({1}, {1});
  unranked.values[1].has_rank = false;
  EXPECT_TRUE(has_open_inputs(unranked));
}

TEST(OpenShapes, AreFilledByExamples) {
  const auto shapes = example_shapes(sum({-1, 3, -1}, {-1}), 5, 7);
  ASSERT_TRUE(shapes);
  EXPECT_THAT(*shapes, ElementsAre(ElementsAre(5, 3, 7), ElementsAre(5)));
  Graph unranked = sum({1}, {1});
  unranked.values[1].has_rank = false;
  const auto none = example_shapes(unranked, 1, 1);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("'b'"));
}

TEST(OpenShapes, CloseAGraph) {
  Graph open = sum({-1, 3}, {1, 3});
  open.values[2].has_rank = true;  // y, as the runtime knows it
  open.values[2].dimensions = {-1, 3};
  const auto closed = with_shapes(open, {{4, 3}, {1, 3}});
  ASSERT_TRUE(closed) << closed.error().message;
  EXPECT_THAT(closed->values[0].dimensions, ElementsAre(4, 3));
  EXPECT_FALSE(closed->values[2].has_rank);  // the importer derives it
  EXPECT_FALSE(has_open_inputs(*closed));
}

TEST(OpenShapes, MustFitTheModel) {
  const auto other_rank = with_shapes(sum({-1, 3}, {1, 3}), {{4}, {1, 3}});
  ASSERT_FALSE(other_rank);
  EXPECT_THAT(other_rank.error().message, HasSubstr("'a'"));
  const auto other_size = with_shapes(sum({-1, 3}, {1, 3}), {{4, 3}, {2, 3}});
  ASSERT_FALSE(other_size);
  EXPECT_THAT(other_size.error().message, HasSubstr("'b'"));
  EXPECT_FALSE(with_shapes(sum({-1}, {1}), {{4}}));
}

}  // namespace
}  // namespace nnvk::importers::onnx
