// The nodes of an EPContext model: each holds a subgraph that nnvk took, so that the model needs no other source.
#pragma once

#include "clients/onnxruntime_provider/names.h"
#include "clients/onnxruntime_provider/runtime_api.h"

namespace nnvk::clients::onnxruntime {

// Returns whether make_context_node() made the node. Other providers have nodes of the same operator.
bool is_context_node(const Node& node);

// Makes a node that holds `graph`, with its inputs and outputs. The runtime takes ownership. An error if the graph's bytes exceed
// 2 GiB, which no attribute can hold.
Result<OrtNode*> make_context_node(const Graph& graph, const std::string& name);

// Returns the graph that a context node holds. The graph owns its constants.
Result<Graph> graph_of(const Node& context_node);

}  // namespace nnvk::clients::onnxruntime
