#include "importers/tflite/importer.h"

#include "importers/tflite/emitter.h"

#include <fmt/format.h>

#include <set>

namespace nnvk::importers::tflite {
namespace {

Result<Port> port(const Emitter& emitter, int index) {
  const auto& tensor = emitter.tensor(index);
  TOOLS_ASSIGN(OperandInfo info, emitter.operand_info(index));
  return Port{.name = tensor.name,
              .info = std::move(info),
              .wide = tensor.type == format::TensorType_INT64,
              .scalar = tensor.dimensions.empty()};
}

}  // namespace

TensorMemory tensor_memory(const Graph& graph) {
  std::set<int> used(graph.inputs.begin(), graph.inputs.end());
  used.insert(graph.outputs.begin(), graph.outputs.end());
  for (const Operator& op : graph.operators) {
    used.insert(op.inputs.begin(), op.inputs.end());
    used.insert(op.outputs.begin(), op.outputs.end());
  }
  used.erase(-1);       // omitted
  TensorMemory memory;  // the sum cannot overflow: a tensor has at most 2^35 bytes and takes several of the file
  int largest = -1;
  for (const int index : used) {
    const Tensor& tensor = graph.tensors[static_cast<size_t>(index)];
    if (tensor.variable) continue;  // operators count the zeros they make for it, or reject it
    const uint64_t bytes = tensor.elements() * element_size(tensor.type);
    memory.bytes += bytes;
    if (bytes <= memory.largest_bytes) continue;
    memory.largest_bytes = bytes;
    largest = index;
  }
  for (const auto* ports : {&graph.inputs, &graph.outputs}) {
    for (const int index : *ports) memory.bytes += graph.tensors[static_cast<size_t>(index)].elements() * sizeof(float);
  }
  if (largest >= 0) {
    memory.largest = fmt::format("{} {}", describe(graph, largest), shape_text(graph.tensors[static_cast<size_t>(largest)]));
  }
  return memory;
}

Result<ImportedModel> import_graph(const Graph& graph, const ImportOptions& options) {
  ImportBudget budget(options.memory, graph.file ? graph.file->size() : 0);
  TOOLS_TRY(budget.take_tensors(tensor_memory(graph)));
  TOOLS_ASSIGN(ModelBuilder builder, ModelBuilder::create());
  ImportedModel model{.builder = std::move(builder), .inputs = {}, .outputs = {}, .operation_origins = {}, .file = graph.file};
  Emitter emitter(graph, model.builder, budget);
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> outputs;
  for (const int index : graph.inputs) {
    TOOLS_ASSIGN(const uint32_t operand, emitter.model_input(index));
    inputs.push_back(operand);
    TOOLS_ASSIGN(Port in, port(emitter, index));
    model.inputs.push_back(std::move(in));
  }
  if (inputs.empty()) return fail("the model has no inputs");
  for (const auto& op : graph.operators) {
    TOOLS_TRY(emit_operator(emitter, op));
    model.operation_origins.resize(model.builder.operations().size(), op.where);
  }
  for (const int index : graph.outputs) {
    const auto operand = emitter.produced(index);
    if (!operand) return fail("no operator writes the model's output '" + emitter.tensor(index).name + "'");
    outputs.push_back(*operand);
    const auto& tensor = emitter.tensor(index);
    model.outputs.push_back({.name = tensor.name,
                             .info = model.builder.operand(*operand),
                             .wide = tensor.type == format::TensorType_INT64,
                             .scalar = tensor.dimensions.empty()});
  }
  if (outputs.empty()) return fail("the model has no outputs");
  if (options.relaxed) TOOLS_TRY(model.builder.relax(true));
  TOOLS_TRY(model.builder.finish(inputs, outputs));
  return model;
}

Result<ImportedModel> import_file(const std::filesystem::path& path, const ImportOptions& options) {
  TOOLS_ASSIGN(const Graph graph, read_graph_file(path));
  auto model = import_graph(graph, options);
  if (!model) return fail(path.string() + ": " + model.error().message);
  return model;
}

}  // namespace nnvk::importers::tflite
