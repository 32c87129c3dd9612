// Translates a TensorFlow Lite graph into an NNAPI model, through the public C API only.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "importers/import_options.h"
#include "importers/imported_model.h"
#include "importers/tflite/graph.h"

namespace nnvk::importers::tflite {

// Translates a graph; the resulting model is finished. A damaged file, or an operator that cannot be translated, is an error with
// the byte offset or operator; if several operators cannot be translated, the error lists them all (refusal_summary()). A model
// that needs more than options.memory is an error before anything is made. The graph's constants must outlive the model, or
// graph.file must own them.
Result<ImportedModel> import_graph(const Graph& graph, const ImportOptions& options = {});
Result<ImportedModel> import_file(const std::filesystem::path& path, const ImportOptions& options = {});

// Per operator of a graph nothing, or the reason why it cannot be translated.
using Refusals = std::vector<std::optional<std::string>>;

// Translates each operator for itself and keeps nothing. The result tells which operators NNAPI can express, independently of
// each other. Devices may still refuse operations. The function fails if the whole graph needs more than options.memory.
Result<Refusals> refusals(const Graph& graph, const ImportOptions& options = {});

// Sums the refusals up: "3 operators cannot be imported: 2 x UNIQUE (NNAPI has no such operation), 1 x CONV_2D (it has no
// weights)". The text is empty if all operators can be imported.
std::string refusal_summary(const Graph& graph, const Refusals& refusals);

}  // namespace nnvk::importers::tflite
