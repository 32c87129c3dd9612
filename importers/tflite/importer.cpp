#include "importers/tflite/importer.h"

#include "importers/tflite/graph_emission.h"

namespace nnvk::importers::tflite {
namespace {

Port port(const Tensor& tensor, const OperandInfo& info) {
  return {
      .name = tensor.name, .info = info, .wide = tensor.type == format::TensorType_INT64, .scalar = tensor.dimensions.empty()};
}

// Makes the states inputs and outputs of the model.
void append_states(const Emitter& emitter, const ModelBuilder& builder, EmittedGraph& emitted, ImportedModel& model) {
  for (const auto& [variable, state] : emitter.kept_states()) {
    if (!state.output) continue;  // an error of the operator, which has ended the import
    model.states.push_back({.variable = variable, .input = emitted.inputs.size(), .output = emitted.outputs.size()});
    emitted.inputs.push_back(state.input);
    emitted.outputs.push_back(*state.output);
    model.inputs.push_back({.name = state.name, .info = builder.operand(state.input)});
    model.outputs.push_back({.name = state.name, .info = builder.operand(*state.output)});
  }
}

Result<ImportedModel> imported(const Graph& graph, const ImportOptions& options) {
  Translation translation{
      .model = graph, .options = options, .budget = ImportBudget(options.memory, source_size(graph)), .bodies = {}, .open = {0}};
  TOOLS_TRY(translation.budget.take_tensors(tensor_memory(graph)));
  TOOLS_ASSIGN(ModelBuilder builder, ModelBuilder::create());
  ImportedModel model{.builder = std::move(builder)};
  model.file = graph.file;
  if (graph.inputs.empty()) return fail("the model has no inputs");
  if (graph.outputs.empty()) return fail("the model has no outputs");
  Emitter emitter(graph, model.builder, translation);
  TOOLS_ASSIGN(EmittedGraph emitted, emit_graph(emitter));
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    model.inputs.push_back(port(emitter.tensor(graph.inputs[i]), model.builder.operand(emitted.inputs[i])));
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    model.outputs.push_back(port(emitter.tensor(graph.outputs[i]), model.builder.operand(emitted.outputs[i])));
  }
  append_states(emitter, model.builder, emitted, model);
  model.operation_origins = std::move(emitted.operation_origins);
  model.bodies = std::move(translation.bodies);
  if (options.relaxed) TOOLS_TRY(model.builder.relax(true));
  TOOLS_TRY(model.builder.finish(emitted.inputs, emitted.outputs));
  return model;
}

}  // namespace

Result<ImportedModel> import_graph(const Graph& graph, const ImportOptions& options) {
  auto model = imported(graph, options);
  if (model) return model;
  const auto refused = refusals(graph, options);
  if (!refused) return model;
  size_t count = 0;
  for (const auto& reason : *refused) count += reason ? 1 : 0;
  if (count < 2) return model;
  return fail(refusal_summary(graph, *refused));
}

Result<ImportedModel> import_file(const std::filesystem::path& path, const ImportOptions& options) {
  TOOLS_ASSIGN(const Graph graph, read_graph_file(path));
  auto model = import_graph(graph, options);
  if (!model) return fail(path.string() + ": " + model.error().message);
  return model;
}

}  // namespace nnvk::importers::tflite
