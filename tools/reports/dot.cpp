// Writes nodes, frames and edges.
#include "tools/reports/dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tools/reports/graph.h"

namespace nnvk::tools {
namespace {

constexpr auto kColours = std::to_array<const char*>({"#b7d7f0", "#f6d8ae", "#c9e4c5", "#e3c8e8"});

// Writes a string of Graphviz's language.
std::string dot_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string operation_node(const Explanation& explanation, size_t index, const std::vector<std::string>& devices) {
  const ExplainedOperation& operation = explanation.operations[index];
  const Fate fate = fate_of(explanation, index);
  std::string label = fmt::format("{} {}\n{}\n", index, operation.name, operation.result);
  std::string style = "style=\"dashed\"";
  if (fate != Fate::kRuns) {
    label += fate_text(fate);
  } else if (operation.device.empty()) {
    label += "(not compiled)";
  } else {
    label += operation.device;
    const auto device = static_cast<size_t>(std::ranges::find(devices, operation.device) - devices.begin());
    style = fmt::format("style=\"filled\", fillcolor=\"{}\"", kColours[device % kColours.size()]);
  }
  if (const auto expected = predicted_seconds(explanation, operation); expected && fate == Fate::kRuns) {
    label += fmt::format("\npredicted {} ms", milliseconds(expected));
  }
  if (operation.measured_seconds) label += fmt::format("\nmeasured {} ms", milliseconds(operation.measured_seconds));
  return fmt::format("  op{} [label={}, {}];\n", index, dot_string(label), style);
}

std::string ports(const char* name, const std::vector<ExplainedPort>& ports) {
  std::string text;
  for (size_t i = 0; i < ports.size(); ++i) {
    const std::string label =
        fmt::format("{} {}{}{}\n{}", name, i, ports[i].name.empty() ? "" : ": ", ports[i].name, ports[i].type);
    text += fmt::format("  {}{} [shape=ellipse, label={}];\n", name, i, dot_string(label));
  }
  return text;
}

// Writes the operations of a box, in a frame of their own if they are several.
std::string members(const GraphNode& node) {
  std::string text = fmt::format(" op{};", node.index);
  if (node.inside.empty()) return text;
  for (const size_t merged : node.inside) text += fmt::format(" op{};", merged);
  return fmt::format(" subgraph cluster_op{} {{ style=\"dashed\"; label=\"\";{} }}", node.index, text);
}

std::string frames(const Explanation& explanation) {
  std::vector<std::string> of_partitions(explanation.partitions.size());
  std::string outside;
  for (const GraphNode& node : graph_of(explanation).nodes) {
    if (node.kind != GraphNode::Kind::kOperation) continue;
    const ExplainedOperation& operation = explanation.operations[node.index];
    const bool is_placed = !operation.folded && !operation.device.empty() && operation.partition < of_partitions.size();
    if (is_placed && of_partitions.size() > 1) {
      of_partitions[operation.partition] += members(node);
    } else if (!node.inside.empty()) {
      outside += " " + members(node) + "\n";
    }
  }
  std::string text;
  for (size_t i = 0; i < of_partitions.size() && of_partitions.size() > 1; ++i) {
    text += fmt::format("  subgraph cluster_{} {{ label={};{} }}\n", i,
                        dot_string(fmt::format("{}: {}", i, explanation.partitions[i].device)), of_partitions[i]);
  }
  return text + outside;
}

std::string edges(const Explanation& explanation) {
  std::string text;
  for (size_t i = 0; i < explanation.operations.size(); ++i) {
    const ExplainedOperation& operation = explanation.operations[i];
    for (const size_t input : operation.model_inputs) text += fmt::format("  input{} -> op{};\n", input, i);
    for (const size_t producer : operation.producers) text += fmt::format("  op{} -> op{};\n", producer, i);
  }
  for (size_t i = 0; i < explanation.outputs.size(); ++i) {
    if (const auto producer = explanation.outputs[i].producer) text += fmt::format("  op{} -> output{};\n", *producer, i);
  }
  return text;
}

}  // namespace

std::string to_dot(const Explanation& explanation) {
  const std::vector<std::string> devices = devices_in(explanation);
  std::string nodes = ports("input", explanation.inputs) + ports("output", explanation.outputs);
  for (size_t i = 0; i < explanation.operations.size(); ++i) nodes += operation_node(explanation, i, devices);
  return "digraph model {\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n" + nodes + frames(explanation) +
         edges(explanation) + "}\n";
}

}  // namespace nnvk::tools
