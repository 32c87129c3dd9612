// Translates a .tflite graph into an NNAPI model, through the public C API only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/nnapi/model_builder.h"
#include "tools/tflite/graph.h"
#include "tools/tflite/import_budget.h"

namespace nnvk::tools::tflite {

// An input or output of the model, as the file declares it and as NNAPI declares it.
struct Port {
  std::string name;
  OperandInfo info;   // an INT64 tensor of the file is TENSOR_INT32 here
  bool wide = false;  // the file says INT64: widen the values at the edge
};

struct ImportedModel {
  ModelBuilder builder;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  // For each NNAPI operation, in the order of addOperation, the operator in the file: "operator 12 (CONV_2D)".
  std::vector<std::string> operation_origins;
  std::shared_ptr<const std::vector<uint8_t>> file;  // constants point into it
};

// Translates a graph; the resulting model is finished. A damaged file, or an operator that cannot be translated, is an error with
// the byte offset or operator. `memory`: the bytes that the model may take (import_budget.h); if it needs more, that is an error
// before anything is made.
Result<ImportedModel> import_graph(const Graph& graph, uint64_t memory = kDefaultMemory);
Result<ImportedModel> import_file(const std::filesystem::path& path, uint64_t memory = kDefaultMemory);

}  // namespace nnvk::tools::tflite
