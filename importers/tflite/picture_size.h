// Changes a network for pictures of another size.
#pragma once

#include "importers/tflite/graph.h"

namespace nnvk::importers::tflite {

// Changes the height and width of the graph's input [1, height, width, channels], and scales all later tensors in proportion.
// Only for networks whose operators read only neighbours (convolutions with padding SAME and stride 1, additions, concatenations
// of channels, DEPTH_TO_SPACE): the error names any other operator.
Status set_picture_size(Graph& graph, uint32_t height, uint32_t width);

// Returns the greatest distance, in rows or columns of the input, of input pixels on which a result pixel depends. It accepts the
// graphs that set_picture_size() accepts.
uint32_t reach(const Graph& graph);

}  // namespace nnvk::importers::tflite
