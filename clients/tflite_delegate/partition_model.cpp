#include "clients/tflite_delegate/partition_model.h"

#include "importers/tflite/importer.h"

namespace nnvk::clients::tflite {
namespace {

importers::ImportOptions import_options(const PluginOptions& options) {
  return {.memory = importers::kAnyMemory,  // the runtime holds the tensors already
          .relaxed = options.relaxed,
          .keep_states = true};
}

}  // namespace

std::vector<int> runtime_inputs(const importers::tflite::Graph& graph, std::span<const int> tensors) {
  std::vector<int> inputs;
  for (const int index : tensors) {
    if (index < 0) continue;
    const importers::tflite::Tensor& tensor = graph.tensors[static_cast<size_t>(index)];
    if (!tensor.constant() && !tensor.variable) inputs.push_back(index);
  }
  return inputs;
}

Result<importers::ImportedModel> import_partition(const importers::tflite::Graph& graph, const PluginOptions& options) {
  return importers::tflite::import_graph(graph, import_options(options));
}

Result<std::vector<std::optional<std::string>>> dry_run(const importers::tflite::Graph& graph, const PluginOptions& options) {
  return importers::tflite::refusals(graph, import_options(options));
}

}  // namespace nnvk::clients::tflite
