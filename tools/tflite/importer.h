// Turns a .tflite graph into an NNAPI model, through the public C API only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/nnapi/model_builder.h"
#include "tools/tflite/graph.h"

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
// byte offset.
Result<ImportedModel> import_graph(const Graph& graph);
Result<ImportedModel> import_file(const std::filesystem::path& path);

}  // namespace nnvk::tools::tflite
