// A model file as it was read: its inputs and outputs, and its import for the shapes that a run brings.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "importers/import_options.h"
#include "importers/imported_model.h"
#include "importers/onnx/graph.h"
#include "importers/tflite/graph.h"

namespace nnvk::python {

using importers::Error;
using importers::fail;
using importers::ImportedModel;
using importers::Port;
using importers::Result;
using importers::Status;

using Shapes = std::vector<std::vector<int64_t>>;  // one per input, in the order of the model

class ModelSource {
 public:
  // Reads a `.onnx` file, or a `.tflite` file of any other name, and imports it for its first shapes if it has any. Errors name
  // the file, and the place or the operators in it.
  static Result<ModelSource> read(const std::filesystem::path& path, const importers::ImportOptions& options);

  // Returns the inputs as the file declares them: an open dimension is 0, and an unknown rank has no dimensions.
  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }

  // Returns the shapes for which the model can be compiled before any run: those of the file, with one element in an open batch
  // of a `.onnx` file. Returns nothing if another dimension of a `.onnx` file is open.
  const std::optional<Shapes>& first_shapes() const { return first_shapes_; }

  // Returns the shapes that an import needs for inputs of these shapes. An empty list means that one import with unknown
  // dimensions serves all shapes but those of the file, which is so for `.tflite` files.
  Shapes import_shapes(const Shapes& inputs) const;
  // Imports for shapes that import_shapes() gave. Errors name the file, the operators and the reasons. Only one thread at a time
  // may call it.
  Result<ImportedModel> import(const Shapes& shapes);

 private:
  ModelSource(std::filesystem::path path, const importers::ImportOptions& options) : path_(std::move(path)), options_(options) {}
  Status read_onnx();
  Status read_tflite();
  Result<ImportedModel> imported(const Shapes& shapes) const;

  std::filesystem::path path_;
  importers::ImportOptions options_;
  std::variant<importers::onnx::Graph, importers::tflite::Graph> graph_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  std::optional<Shapes> first_shapes_;
  std::optional<ImportedModel> first_model_;  // for first_shapes_, until import() hands it out
};

}  // namespace nnvk::python
