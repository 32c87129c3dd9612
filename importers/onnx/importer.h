// Translates an ONNX graph into an NNAPI model, through the public C API only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "importers/import_options.h"
#include "importers/imported_model.h"
#include "importers/onnx/graph.h"
#include "tools/nnapi/result.h"

namespace nnvk::importers::onnx {

// Translates a whole graph; the resulting model is finished. Its ports stand in the order of graph.inputs and graph.outputs.
// INT64 is TENSOR_INT32 (Port::wide), rank 0 is [1] (Port::scalar), bool is TENSOR_BOOL8. `graph` may be dropped afterwards, but
// the model refers to the constants' bytes: the model keeps graph.storage, and the caller keeps bytes that it owns itself. Errors
// name the node and the reason: a damaged graph (cycles, missing values, wrong types), an operator that NNAPI cannot express, or
// one that takes more than options.memory.
tools::Result<ImportedModel> import_graph(const Graph& graph, const ImportOptions& options);

// Runs the same translations without keeping the result. Element i has the reason why graph.nodes[i] cannot be translated, or
// nothing if it can. Each node is judged alone, with all types and shapes that the whole graph gives it. But a node whose result
// NNAPI cannot hold (more than four dimensions) is refused if a refused node or the caller reads that result. A damaged graph
// gives every node the same reason.
std::vector<std::optional<std::string>> refusals(const Graph& graph, const ImportOptions& options);

// Returns the error of import_graph() with all nodes that cannot be translated: one line for each, and the number of further ones
// of the same operator. Returns `error` itself if no single node is to blame.
Error listed(const Graph& graph, const ImportOptions& options, const Error& error);

}  // namespace nnvk::importers::onnx
