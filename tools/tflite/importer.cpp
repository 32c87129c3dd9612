#include "tools/tflite/importer.h"

#include "tools/tflite/emitter.h"

namespace nnvk::tools::tflite {
namespace {

Result<Port> port(const Emitter& emitter, int index) {
  const auto& tensor = emitter.tensor(index);
  TOOLS_ASSIGN(OperandInfo info, emitter.operand_info(index));
  return Port{.name = tensor.name, .info = std::move(info), .wide = tensor.type == format::TensorType_INT64};
}

}  // namespace

Result<ImportedModel> import_graph(const Graph& graph, uint64_t memory) {
  ImportBudget budget(memory, graph.file ? graph.file->size() : 0);
  TOOLS_TRY(budget.take_tensors(graph));
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
    model.outputs.push_back(
        {.name = tensor.name, .info = model.builder.operand(*operand), .wide = tensor.type == format::TensorType_INT64});
  }
  if (outputs.empty()) return fail("the model has no outputs");
  TOOLS_TRY(model.builder.finish(inputs, outputs));
  return model;
}

Result<ImportedModel> import_file(const std::filesystem::path& path, uint64_t memory) {
  TOOLS_ASSIGN(const Graph graph, read_graph_file(path));
  auto model = import_graph(graph, memory);
  if (!model) return fail(path.string() + ": " + model.error().message);
  return model;
}

}  // namespace nnvk::tools::tflite
