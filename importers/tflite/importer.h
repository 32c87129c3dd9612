// Translates a .tflite graph into an NNAPI model, through the public C API only.
#pragma once

#include <filesystem>

#include "importers/import_budget.h"
#include "importers/import_options.h"
#include "importers/imported_model.h"
#include "importers/tflite/graph.h"

namespace nnvk::importers::tflite {

// The memory of all tensors that operators use, and of the model's inputs and outputs once more, as floats.
TensorMemory tensor_memory(const Graph& graph);

// Translates a graph; the resulting model is finished. A damaged file, or an operator that cannot be translated, is an error with
// the byte offset or operator. A model that needs more than options.memory is an error before anything is made.
Result<ImportedModel> import_graph(const Graph& graph, const ImportOptions& options = {});
Result<ImportedModel> import_file(const std::filesystem::path& path, const ImportOptions& options = {});

}  // namespace nnvk::importers::tflite
