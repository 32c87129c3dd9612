// Layouts of graphs: chains, branches, random graphs; no overlaps, all edges downwards and clear of other boxes.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tools/reports/layout.h"

namespace nnvk::tools {
namespace {

bool overlap(const Box& a, const Box& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

// Whether the straight line between two points meets the inside of a box. Curves between layers stay beside their straight line
// and within the space between the layers, where no boxes are.
bool meets(const Point& from, const Point& to, const Box& box) {
  constexpr int kSteps = 200;
  for (int i = 0; i <= kSteps; ++i) {
    const double t = static_cast<double>(i) / kSteps;
    const double x = from.x + t * (to.x - from.x);
    const double y = from.y + t * (to.y - from.y);
    if (x > box.x + 1 && x < box.x + box.width - 1 && y > box.y + 1 && y < box.y + box.height - 1) return true;
  }
  return false;
}

void expect_sane(const Layout& layout, const std::vector<BoxSize>& sizes, const std::vector<GraphEdge>& edges) {
  ASSERT_EQ(layout.boxes.size(), sizes.size());
  ASSERT_EQ(layout.routes.size(), edges.size());
  for (size_t a = 0; a < sizes.size(); ++a) {
    const Box& box = layout.boxes[a];
    EXPECT_EQ(box.width, sizes[a].width);
    EXPECT_EQ(box.height, sizes[a].height);
    EXPECT_GE(box.x, 0);
    EXPECT_GE(box.y, 0);
    EXPECT_LE(box.x + box.width, layout.width);
    EXPECT_LE(box.y + box.height, layout.height);
    for (size_t b = 0; b < a; ++b) EXPECT_FALSE(overlap(box, layout.boxes[b])) << a << " and " << b;
  }
  for (size_t e = 0; e < edges.size(); ++e) {
    const Box& from = layout.boxes[edges[e].from];
    const Box& to = layout.boxes[edges[e].to];
    const auto& route = layout.routes[e];
    ASSERT_GE(route.size(), 3U);
    EXPECT_EQ(route.size() % 2, 1U);
    EXPECT_NEAR(route.front().x, from.x + from.width / 2, 1e-6);
    EXPECT_NEAR(route.front().y, from.y + from.height, 1e-6);
    EXPECT_NEAR(route.back().x, to.x + to.width / 2, 1e-6);
    EXPECT_NEAR(route.back().y, to.y, 1e-6);
    for (size_t p = 1; p < route.size(); ++p) {
      EXPECT_GE(route[p].y, route[p - 1].y) << "edges go down";
      for (size_t b = 0; b < sizes.size(); ++b) {
        EXPECT_FALSE(meets(route[p - 1], route[p], layout.boxes[b])) << "edge " << e << " crosses box " << b;
      }
    }
  }
}

Layout laid_out(const std::vector<BoxSize>& sizes, const std::vector<GraphEdge>& edges) {
  const Layout layout = lay_out(sizes, edges);
  expect_sane(layout, sizes, edges);
  return layout;
}

TEST(GraphLayout, AChainIsAStraightColumn) {
  const std::vector<BoxSize> sizes{{100, 40}, {140, 60}, {80, 30}};
  const Layout layout = laid_out(sizes, {{0, 1}, {1, 2}});
  const auto centre = [&](size_t b) { return layout.boxes[b].x + layout.boxes[b].width / 2; };
  EXPECT_NEAR(centre(0), centre(1), 1e-6);
  EXPECT_NEAR(centre(1), centre(2), 1e-6);
}

TEST(GraphLayout, AnEdgeOverSeveralLayersPassesBesideTheBoxesBetween) {
  laid_out({{100, 40}, {100, 40}, {100, 40}, {100, 40}}, {{0, 1}, {1, 2}, {2, 3}, {0, 3}});
}

TEST(GraphLayout, AnInputStandsDirectlyAboveItsFirstReader) {
  const Layout layout = laid_out({{90, 40}, {90, 40}, {90, 40}, {90, 40}}, {{0, 1}, {1, 2}, {3, 2}});
  EXPECT_EQ(layout.boxes[3].y, layout.boxes[1].y);
}

TEST(GraphLayout, BranchesThatCouldCrossDoNot) {
  // 0 and 1 each lead to a box of their own; these are named in the other order.
  const Layout layout = laid_out({{90, 40}, {90, 40}, {90, 40}, {90, 40}, {90, 40}}, {{0, 3}, {1, 2}, {3, 4}, {2, 4}});
  EXPECT_EQ(layout.boxes[0].x < layout.boxes[1].x, layout.boxes[3].x < layout.boxes[2].x);
}

TEST(GraphLayout, RandomGraphsOfManyShapesKeepAllRules) {
  std::mt19937 random(7);
  const auto pick = [&](size_t most) { return std::uniform_int_distribution<size_t>(0, most)(random); };
  for (int round = 0; round < 60; ++round) {
    const size_t boxes = 1 + pick(40);
    std::vector<BoxSize> sizes;
    for (size_t i = 0; i < boxes; ++i) sizes.push_back({60 + static_cast<double>(pick(140)), 20 + static_cast<double>(pick(80))});
    std::vector<GraphEdge> edges;
    for (size_t i = 1; i < boxes; ++i) {
      for (size_t n = pick(2); n > 0; --n) edges.push_back({pick(1) == 0 ? i - 1 : pick(i - 1), i});
    }
    laid_out(sizes, edges);
  }
}

TEST(GraphLayout, HundredsOfBoxesWithResidualsStayNarrow) {
  constexpr size_t kBoxes = 600;
  const std::vector<BoxSize> sizes(kBoxes, BoxSize{150, 60});
  std::vector<GraphEdge> edges;
  for (size_t i = 1; i < kBoxes; ++i) edges.push_back({i - 1, i});
  for (size_t i = 4; i < kBoxes; i += 4) edges.push_back({i - 4, i});
  const Layout layout = lay_out(sizes, edges);
  EXPECT_LT(layout.width, 500) << "a column with an edge beside it";
  for (size_t i = 1; i < kBoxes; ++i) EXPECT_GT(layout.boxes[i].y, layout.boxes[i - 1].y);
}

TEST(GraphLayout, CirclesAndEdgesToThemselvesDoNoHarm) {
  const std::vector<BoxSize> sizes(3, BoxSize{80, 40});
  const std::vector<GraphEdge> edges{{0, 1}, {1, 2}, {2, 0}, {1, 1}};
  const Layout layout = lay_out(sizes, edges);
  EXPECT_FALSE(overlap(layout.boxes[0], layout.boxes[1]));
  EXPECT_FALSE(layout.routes[2].empty());
  EXPECT_TRUE(layout.routes[3].empty());
}

TEST(GraphLayout, NothingHasALayoutToo) { EXPECT_TRUE(lay_out({}, {}).boxes.empty()); }

}  // namespace
}  // namespace nnvk::tools
