// IF and WHILE: their subgraphs become models of their own, which the operation refers to.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "importers/tflite/graph_emission.h"
#include "importers/tflite/operator_parts.h"

namespace nnvk::importers::tflite {
namespace {

constexpr size_t kMostNestings = 16;

// Translates subgraph `number` into a finished model, and adds the operand that refers to it.
Result<uint32_t> body_model(Emitter& emitter, const Operator& op, int32_t number) {
  Translation& translation = emitter.translation();
  const auto& others = translation.model.others;
  if (number < 1 || static_cast<size_t>(number) > others.size()) {
    return fail(fmt::format("{}: subgraph {} of {} does not exist", op.where, number, others.size() + 1));
  }
  if (std::ranges::count(translation.open, number) != 0)
    return fail(fmt::format("{}: subgraph {} contains itself", op.where, number));
  if (translation.open.size() >= kMostNestings) return fail(op.where + ": it is inside too many other IF and WHILE operators");
  const Graph& graph = others[static_cast<size_t>(number) - 1];
  if (const Status taken = translation.budget.take_tensors(tensor_memory(graph)); !taken) {
    return fail(fmt::format("{}: subgraph {}: {}", op.where, number, taken.error().message));
  }
  TOOLS_ASSIGN(ModelBuilder builder, ModelBuilder::create());
  auto body = std::make_unique<ModelBuilder>(std::move(builder));
  translation.open.push_back(number);
  Emitter inner(graph, *body, translation);
  const auto emitted = emit_graph(inner);
  translation.open.pop_back();
  if (!emitted) return fail(fmt::format("{}: subgraph {}: {}", op.where, number, emitted.error().message));
  if (!inner.kept_states().empty())
    return fail(fmt::format("{}: subgraph {} keeps state between executions, which NNAPI cannot do inside control flow", op.where,
                            number));
  if (translation.options.relaxed) TOOLS_TRY(body->relax(true));
  TOOLS_TRY(body->finish(emitted->inputs, emitted->outputs));
  TOOLS_ASSIGN(const uint32_t operand, emitter.builder().add_operand({.type = ANEURALNETWORKS_MODEL, .dimensions = {}}));
  TOOLS_TRY(emitter.builder().set_model(operand, body->model()));
  translation.bodies.push_back(std::move(body));
  return operand;
}

// Adds the operation with the operator's inputs from `first` on behind `inputs`.
Status emit_with_bodies(Emitter& emitter, const Operator& op, int32_t code, std::vector<uint32_t> inputs, size_t first) {
  TOOLS_ASSIGN(const auto* settings, options<BranchOptions>(op));
  for (const int32_t number : {settings->first, settings->second}) {
    TOOLS_ASSIGN(const uint32_t model, body_model(emitter, op, number));
    inputs.push_back(model);
  }
  TOOLS_ASSIGN(const std::vector<uint32_t> values, emitter.inputs_from(op, first));
  inputs.insert(inputs.end(), values.begin(), values.end());
  std::vector<uint32_t> outputs;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    TOOLS_ASSIGN(const uint32_t output, emitter.output(op, i));
    outputs.push_back(output);
  }
  if (outputs.empty()) return fail(op.where + ": it must have at least one output");
  return emitter.emit(op, code, inputs, outputs);
}

Status emit_if(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t condition, emitter.input(op, 0));
  return emit_with_bodies(emitter, op, ANEURALNETWORKS_IF, {condition}, 1);
}

Status emit_while(Emitter& emitter, const Operator& op) {
  if (op.outputs.size() != op.inputs.size()) {
    return fail(fmt::format("{}: it must have as many outputs as inputs, but has {} inputs and {} outputs", op.where,
                            op.inputs.size(), op.outputs.size()));
  }
  return emit_with_bodies(emitter, op, ANEURALNETWORKS_WHILE, {}, 0);
}

constexpr auto kRows = std::to_array<Row>({
    {format::BuiltinOperator_IF, emit_if, 1, false},
    {format::BuiltinOperator_WHILE, emit_while, 1, false},
});

}  // namespace

std::span<const Row> control_flow_operators() { return kRows; }

}  // namespace nnvk::importers::tflite
