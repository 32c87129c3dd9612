// Reads `.onnx` files, and the tensors that are stored beside them.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "importers/import_options.h"
#include "importers/imported_model.h"
#include "importers/onnx/graph.h"
#include "tools/nnapi/result.h"

namespace nnvk::importers::onnx {

// Reads a model from memory. `folder`: where its external data lies; empty: external data is an error. The graph owns all bytes.
// Errors name the tensor, value or node. Takes memory in proportion to the bytes and the external files alone.
tools::Result<Graph> read_graph(std::span<const uint8_t> file, const std::filesystem::path& folder);
// Reads a model from a file. External data may lie in the file's own folder and below it, also through links that stay there.
tools::Result<Graph> read_graph_file(const std::filesystem::path& path);

// Reads and imports a file. An open batch, the first dimension of an input, becomes 1; other open dimensions of inputs are an
// error. Errors name the file, and list all nodes that cannot be taken, with reasons.
tools::Result<ImportedModel> import_file(const std::filesystem::path& path, const ImportOptions& options);

}  // namespace nnvk::importers::onnx
