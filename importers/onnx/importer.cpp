// Imports whole graphs, and judges the nodes of one.
#include "importers/onnx/importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "importers/onnx/lowering.h"

namespace nnvk::importers::onnx {
namespace {

Port port(const Value& value, const Tensor& tensor) {
  return {.name = value.name, .info = tensor.info(), .wide = value.type == ElementType::kInt64, .scalar = tensor.rank() == 0};
}

std::vector<uint32_t> operands_of(const std::vector<Tensor>& tensors) {
  std::vector<uint32_t> operands;
  for (const Tensor& tensor : tensors) operands.push_back(*tensor.operand);
  return operands;
}

}  // namespace

Result<ImportedModel> import_graph(const Graph& graph, const ImportOptions& options) {
  TOOLS_TRY(Lowering::check(graph));
  if (graph.inputs.empty()) return fail("the model has no inputs");
  if (graph.outputs.empty()) return fail("the model has no outputs");
  TOOLS_ASSIGN(ModelBuilder builder, ModelBuilder::create());
  ImportedModel model{.builder = std::move(builder)};
  Lowering lowering(graph, options, model.builder);
  TOOLS_TRY(lowering.add_inputs());
  for (const size_t node : lowering.order()) TOOLS_TRY(lowering.add_node(node));
  TOOLS_ASSIGN(const auto outputs, lowering.outputs());
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    model.inputs.push_back(port(lowering.value(graph.inputs[i]), lowering.inputs()[i]));
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    model.outputs.push_back(port(lowering.value(graph.outputs[i]), outputs[i]));
  }
  model.operation_origins = lowering.emitter().origins();
  model.storage = graph.storage;
  const auto& kept = lowering.emitter().kept();
  model.storage.insert(model.storage.end(), kept.begin(), kept.end());
  if (options.relaxed) TOOLS_TRY(model.builder.relax(true));
  TOOLS_TRY(model.builder.finish(operands_of(lowering.inputs()), operands_of(outputs)));
  return model;
}

std::vector<std::optional<std::string>> refusals(const Graph& graph, const ImportOptions& options) {
  std::vector<std::optional<std::string>> reasons(graph.nodes.size());
  const auto all = [&](const std::string& reason) {
    reasons.assign(graph.nodes.size(), reason);
    return reasons;
  };
  if (const Status sound = Lowering::check(graph); !sound) return all(sound.error().message);
  std::vector<bool> exposed(graph.values.size(), false);  // values that nodes outside would read, but NNAPI cannot hold
  // Each round may refuse nodes whose results other refused nodes read; few graphs need a second one.
  for (bool settled = false; !settled;) {
    settled = true;
    auto builder = ModelBuilder::create();
    if (!builder) return all(builder.error().message);
    Lowering lowering(graph, options, *builder);
    lowering.add_possible_inputs();
    const auto expose = [&](std::span<const int> values) {
      for (const int value : lowering.values_without_operand(values)) {
        settled = settled && exposed[static_cast<size_t>(value)];
        exposed[static_cast<size_t>(value)] = true;
      }
    };
    for (const size_t index : lowering.order()) {
      const Node& node = graph.nodes[index];
      const bool exposes = std::ranges::any_of(node.outputs, [&](int v) { return v >= 0 && exposed[static_cast<size_t>(v)]; });
      const Status added =
          exposes ? Status(fail(node.where + ": NNAPI has no tensor of the shape of its result")) : lowering.add_node(index);
      if (added) continue;
      reasons[index] = added.error().message;
      expose(node.inputs);
      lowering.skip_node(index);
    }
    expose(graph.outputs);
  }
  return reasons;
}

Error listed(const Graph& graph, const ImportOptions& options, const Error& error) {
  std::map<std::string, size_t> more;
  std::string text;
  const auto reasons = refusals(graph, options);
  for (size_t i = 0; i < reasons.size(); ++i) {
    if (!reasons[i] || more[graph.nodes[i].op_type]++ > 0) continue;
    text += "\n  " + *reasons[i];
  }
  for (const auto& [name, count] : more) {
    if (count > 1) text += fmt::format("\n  {} further nodes {}", count - 1, name);
  }
  return text.empty() ? error : Error{"these nodes cannot be translated:" + text, error.code};
}

}  // namespace nnvk::importers::onnx
