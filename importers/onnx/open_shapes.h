// Graphs whose inputs have dimensions that only a run knows: which ones, and the same graph with sizes in their place. Pure.
#pragma once

#include <vector>

#include "importers/client_names.h"
#include "importers/onnx/constant.h"
#include "importers/onnx/graph.h"

namespace nnvk::importers::onnx {

// Returns whether an input lacks a dimension. An input without a rank counts as well.
bool has_open_inputs(const Graph& graph);

// Returns the graph with these shapes for its inputs, in their order. Values between operations that lack a dimension lose their
// shape: the importer derives it from the shapes of the inputs. Another number of shapes, or one that contradicts a known
// dimension, is an error; it names the input.
Result<Graph> with_shapes(const Graph& graph, const std::vector<Dimensions>& shapes);

// Returns example shapes of the inputs, to judge a graph before any run. In every input, an open dimension 0 becomes `batch` and
// all other open dimensions become `extent`. It fails if an input has no rank.
Result<std::vector<Dimensions>> example_shapes(const Graph& graph, int64_t batch, int64_t extent);

}  // namespace nnvk::importers::onnx
