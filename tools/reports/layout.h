// Places boxes and their edges in layers from top to bottom, for drawings of graphs. Pure.
//
// The steps are those of Sugiyama's method. A box's layer is the longest path to it. An edge over several layers gets a place in
// each. Barycentres order the layers. At last, the boxes move towards their neighbours without changing that order.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace nnvk::tools {

// A point in pixels; y grows downwards.
struct Point {
  double x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};

struct Box {
  double x = 0;  // of the left side
  double y = 0;  // of the upper side
  double width = 0;
  double height = 0;
};

struct BoxSize {
  double width = 0;
  double height = 0;
};

struct GraphEdge {
  size_t from = 0;  // indexes of boxes
  size_t to = 0;
  auto operator<=>(const GraphEdge&) const = default;
};

struct Layout {
  std::vector<Box> boxes;
  // Per edge, its corners from the lower side of one box to the upper side of the other box. They touch no box in between. Every
  // second piece, from the first, is vertical; the pieces between them cross the space between two layers. Empty for an edge from
  // a box to itself. Edges of a circle that lead back are drawn as if they led forward, and end at their lower point.
  std::vector<std::vector<Point>> routes;
  double width = 0;
  double height = 0;
};

// Places the boxes. Edges refer to `sizes`. Without circles, every box is below those from which edges lead to it.
Layout lay_out(std::span<const BoxSize> sizes, std::span<const GraphEdge> edges);

}  // namespace nnvk::tools
