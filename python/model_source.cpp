// Reading of files and their imports.
#include "python/model_source.h"

#include <algorithm>
#include <limits>

#include "importers/edges.h"
#include "importers/onnx/emitter.h"
#include "importers/onnx/files/onnx_file.h"
#include "importers/onnx/importer.h"
#include "importers/onnx/open_shapes.h"
#include "importers/tflite/importer.h"

namespace nnvk::python {
namespace {

// Opens those dimensions of a port that the file declares to be variable.
void open_dimensions(const importers::tflite::Tensor& tensor, Port& port) {
  for (size_t d = 0; d < std::min(tensor.open.size(), port.info.dimensions.size()); ++d) {
    if (tensor.open[d]) port.info.dimensions[d] = 0;
  }
}

// Returns an input or output as the graph declares it, before an import gives it all sizes: an open dimension is 0, an unknown
// rank has no dimensions, and the quantization is unknown (scale 0). An error if NNAPI has no such type.
Result<Port> declared_port(const importers::onnx::Value& value) {
  Port port{.name = value.name,
            .info = {.type = importers::onnx::nnapi_type(value.type), .dimensions = {}},
            .wide = value.type == importers::onnx::ElementType::kInt64,
            .scalar = value.has_rank && value.dimensions.empty()};
  if (port.info.type == importers::onnx::kNoType) return fail(describe(value) + " has a type that NNAPI does not have");
  if (port.scalar) port.info.dimensions = {1};
  for (const int64_t size : value.dimensions) {
    if (size > std::numeric_limits<int32_t>::max()) return fail(describe(value) + " is larger than any tensor of NNAPI");
    port.info.dimensions.push_back(size < 0 ? 0 : static_cast<uint32_t>(size));
  }
  return port;
}

Result<std::vector<Port>> declared_ports(const importers::onnx::Graph& graph, const std::vector<int>& values) {
  std::vector<Port> ports;
  for (const int value : values) {
    TOOLS_ASSIGN(Port port, declared_port(graph.values[static_cast<size_t>(value)]));
    ports.push_back(std::move(port));
  }
  return ports;
}

// Returns whether inputs lack no dimension but their first one.
bool only_batches_are_open(const std::vector<Port>& inputs) {
  return std::ranges::all_of(inputs, [](const Port& port) {
    const auto& dimensions = port.info.dimensions;
    return !dimensions.empty() && std::ranges::find(dimensions.begin() + 1, dimensions.end(), 0u) == dimensions.end();
  });
}

}  // namespace

Result<ModelSource> ModelSource::read(const std::filesystem::path& path, const importers::ImportOptions& options) {
  ModelSource source(path, options);
  TOOLS_TRY(path.extension() == ".onnx" ? source.read_onnx() : source.read_tflite());
  return source;
}

Status ModelSource::read_onnx() {
  TOOLS_ASSIGN(importers::onnx::Graph graph, importers::onnx::read_graph_file(path_));
  const bool is_open = importers::onnx::has_open_inputs(graph);
  auto inputs = declared_ports(graph, graph.inputs);
  auto outputs = inputs ? declared_ports(graph, graph.outputs) : Result<std::vector<Port>>(inputs);
  if (!outputs) return fail(path_.string() + ": " + outputs.error().message);
  inputs_ = *std::move(inputs);
  outputs_ = *std::move(outputs);
  if (only_batches_are_open(inputs_)) {
    TOOLS_ASSIGN(first_shapes_, importers::onnx::example_shapes(graph, 1, 1));
  }
  graph_ = std::move(graph);
  if (!first_shapes_) return {};
  TOOLS_ASSIGN(first_model_, imported(*first_shapes_));
  const ImportedModel& model = *first_model_;
  // The import knows quantizations, and the shapes that follow from those of the inputs.
  if (!is_open) {
    inputs_ = model.inputs;
    outputs_ = model.outputs;
    return {};
  }
  const auto take_quantization = [](const std::vector<Port>& from, std::vector<Port>& to) {
    for (size_t i = 0; i < to.size(); ++i) {
      to[i].info.scale = from[i].info.scale;
      to[i].info.zero_point = from[i].info.zero_point;
    }
  };
  take_quantization(model.inputs, inputs_);
  take_quantization(model.outputs, outputs_);
  return {};
}

Status ModelSource::read_tflite() {
  TOOLS_ASSIGN(importers::tflite::Graph graph, importers::tflite::read_graph_file(path_));
  graph_ = std::move(graph);
  TOOLS_ASSIGN(first_model_, imported({{}}));
  inputs_ = first_model_->inputs;
  outputs_ = first_model_->outputs;
  first_shapes_.emplace();
  for (const Port& port : inputs_) first_shapes_->push_back(importers::framework_shape(port));
  const auto& read = std::get<importers::tflite::Graph>(graph_);
  for (size_t i = 0; i < read.inputs.size(); ++i) {
    open_dimensions(read.tensors[static_cast<size_t>(read.inputs[i])], inputs_[i]);
  }
  for (size_t i = 0; i < read.outputs.size(); ++i) {
    open_dimensions(read.tensors[static_cast<size_t>(read.outputs[i])], outputs_[i]);
  }
  return {};
}

Shapes ModelSource::import_shapes(const Shapes& inputs) const {
  const bool is_onnx = std::holds_alternative<importers::onnx::Graph>(graph_);
  return is_onnx || inputs == first_shapes_ ? inputs : Shapes();
}

Result<ImportedModel> ModelSource::import(const Shapes& shapes) {
  if (!first_model_ || shapes != first_shapes_) return imported(shapes);
  auto model = std::move(*first_model_);
  first_model_.reset();
  return model;
}

Result<ImportedModel> ModelSource::imported(const Shapes& shapes) const {
  if (const auto* graph = std::get_if<importers::onnx::Graph>(&graph_)) {
    auto closed = importers::onnx::with_shapes(*graph, shapes);
    if (!closed) return fail(path_.string() + ": " + closed.error().message);
    auto model = importers::onnx::import_graph(*closed, options_);
    if (model) return model;
    return fail(path_.string() + ": " + importers::onnx::listed(*closed, options_, model.error()).message, model.error().code);
  }
  importers::ImportOptions options = options_;
  options.open_dimensions = shapes.empty();
  auto model = importers::tflite::import_graph(std::get<importers::tflite::Graph>(graph_), options);
  if (!model) return fail(path_.string() + ": " + model.error().message, model.error().code);
  return model;
}

}  // namespace nnvk::python
