// Model files of every dialect, by their names and contents.
#pragma once

#include <filesystem>

#include "importers/import_options.h"
#include "importers/imported_model.h"

namespace nnvk::tools {

// Imports a `.tflite` or `.onnx` file. A file of another name is taken for a `.tflite` file, whose contents can be told. Errors
// name the file.
Result<importers::ImportedModel> import_model_file(const std::filesystem::path& path, const importers::ImportOptions& options);

}  // namespace nnvk::tools
