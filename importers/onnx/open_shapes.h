// Graphs whose inputs have dimensions that only a run knows: which ones, and the same graph with sizes in their place. Pure.
#pragma once

#include <vector>

#include "importers/client_names.h"
#include "importers/onnx/constant.h"
#include "importers/onnx/graph.h"

namespace nnvk::importers::onnx {

// Whether an input lacks a dimension. An input without a rank counts as well.
bool has_open_inputs(const Graph& graph);

// The graph with these shapes for its inputs, in their order. Values between that lack a dimension lose their shape: the importer
// derives it from those of the inputs. Errors: another number of shapes, or one that contradicts a known dimension; they name the
// input.
Result<Graph> with_shapes(const Graph& graph, const std::vector<Dimensions>& shapes);

// Example shapes of the inputs for judging a graph before any run: the leading open dimension of an input is `batch`, the others
// are `extent`. An error if an input has no rank.
Result<std::vector<Dimensions>> example_shapes(const Graph& graph, int64_t batch, int64_t extent);

}  // namespace nnvk::importers::onnx
