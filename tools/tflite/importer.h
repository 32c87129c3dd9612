// Turns a .tflite graph into an NNAPI model, through the public C API only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/nnapi/model_builder.h"
#include "tools/tflite/graph.h"
#include "tools/tflite/import_budget.h"

namespace nnvk::tools::tflite {

// An input or output of the model as the file declares it and as NNAPI sees it.
struct Port {
  std::string name;
  OperandInfo info;   // an INT64 tensor of the file is TENSOR_INT32 here
  bool wide = false;  // the file says INT64: widen the values at the edge
};

struct ImportedModel {
  ModelBuilder builder;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  // Per NNAPI operation (order of addOperation), the file's operator: "operator 12 (CONV_2D)".
  std::vector<std::string> operation_origins;
  std::shared_ptr<const std::vector<uint8_t>> file;  // constants point into it
};

// The model is finished. An operator that cannot be translated, or a damaged file, is an error that names the operator or the
// byte offset. `memory`: bytes that the model may take (import_budget.h); one that needs more is an error before anything is
// made.
Result<ImportedModel> import_graph(const Graph& graph, uint64_t memory = kDefaultMemory);
Result<ImportedModel> import_file(const std::filesystem::path& path, uint64_t memory = kDefaultMemory);

}  // namespace nnvk::tools::tflite
