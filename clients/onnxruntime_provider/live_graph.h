// A graph of ONNX Runtime as the importer's plain data. Constants stay where the runtime has them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "clients/onnxruntime_provider/names.h"
#include "clients/onnxruntime_provider/runtime_api.h"

namespace nnvk::clients::onnxruntime {

struct LiveGraph {
  Graph graph;
  std::vector<const OrtNode*> nodes;  // the runtime's own, in the order of graph.nodes
};

// Reads a graph. The bytes of constants belong to the runtime, for as long as `graph` lives. Nodes have `where` texts of their
// own. Attributes of types that the importer does not know (graphs) are left out. An input without dimensions is a scalar; any
// other value without them has no known rank, because the interface does not tell the two apart. Errors are those of the runtime.
Result<LiveGraph> read_graph(const OrtGraph* graph);

// Returns the names of a node's inputs or outputs; empty for omitted ones.
Result<std::vector<std::string>> input_names(const OrtNode* node);
Result<std::vector<std::string>> output_names(const OrtNode* node);

// Reads type and shape of a tensor value, and its bytes, which belong to the value.
Result<Value> read_tensor(const OrtValue* tensor);

}  // namespace nnvk::clients::onnxruntime
