// Chooses the importer for a file.
#include "tools/command/model_file.h"

#include "importers/onnx/files/onnx_file.h"
#include "importers/tflite/importer.h"

namespace nnvk::tools {

Result<importers::ImportedModel> import_model_file(const std::filesystem::path& path, const importers::ImportOptions& options) {
  if (path.extension() == ".onnx") return importers::onnx::import_file(path, options);
  auto model = importers::tflite::import_file(path, options);
  if (model || path.extension() == ".tflite") return model;
  return fail(model.error().message + "; nnvk reads models from .tflite and .onnx files");
}

}  // namespace nnvk::tools
