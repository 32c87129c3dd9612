// A partition as an NNAPI model.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clients/plugin_options.h"
#include "importers/imported_model.h"
#include "importers/tflite/graph.h"

namespace nnvk::clients::tflite {

// Returns those of these tensors that a model gets as inputs: all but constants, variables and omitted ones (-1).
std::vector<int> runtime_inputs(const importers::tflite::Graph& graph, std::span<const int> tensors);

// Imports a partition with its present shapes. Its variables become states. Errors name the operator.
Result<importers::ImportedModel> import_partition(const importers::tflite::Graph& graph, const PluginOptions& options);

// Returns the reason why an operator cannot be lowered on its own, per operator of the graph; nothing for operators that can.
Result<std::vector<std::optional<std::string>>> dry_run(const importers::tflite::Graph& graph, const PluginOptions& options);

}  // namespace nnvk::clients::tflite
