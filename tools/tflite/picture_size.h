// The same network for pictures of another size.
#pragma once

#include "tools/tflite/graph.h"

namespace nnvk::tools::tflite {

// Changes the height and width of the graph's input [1, height, width, channels], and scales those of every later tensor in
// proportion. Only for networks of operators that read neighbours only (convolutions with padding SAME and stride 1, additions,
// concatenations of channels, DEPTH_TO_SPACE): an error names any other.
Status set_picture_size(Graph& graph, uint32_t height, uint32_t width);

// No pixel of the result depends on pixels of the input further away than this, in rows or columns of the input. For graphs that
// set_picture_size accepts.
uint32_t reach(const Graph& graph);

}  // namespace nnvk::tools::tflite
