// Translates all operators of a graph into the operations of one model.
#pragma once

#include <string>
#include <vector>

#include "importers/import_budget.h"
#include "importers/tflite/emitter.h"

namespace nnvk::importers::tflite {

// Adds up the memory of all tensors that operators use, and of the graph's inputs and outputs once more, as floats.
TensorMemory tensor_memory(const Graph& graph);

// Returns how many bytes describe the graph: its file, or as many as its operators would take in one.
uint64_t source_size(const Graph& graph);

struct EmittedGraph {
  std::vector<uint32_t> inputs;   // operands of the graph's inputs, in their order
  std::vector<uint32_t> outputs;  // operands of the graph's outputs, in their order; no operand twice, and none is an input
  std::vector<std::string> operation_origins;  // for each operation the operator
};

// Adds everything but the end to the emitter's model. Operators that only compute shapes for RESHAPE are left out, because a file
// has the shape of the result as well. An output that is an input, a constant or another output is copied by an operation.
Result<EmittedGraph> emit_graph(Emitter& emitter);

}  // namespace nnvk::importers::tflite
