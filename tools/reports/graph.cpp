// Decides into which boxes operations go, and which edges remain between them.
#include "tools/reports/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace nnvk::tools {
namespace {

std::vector<std::vector<size_t>> readers_of(const Explanation& explanation) {
  std::vector<std::vector<size_t>> readers(explanation.operations.size());
  for (size_t i = 0; i < explanation.operations.size(); ++i) {
    for (const size_t producer : explanation.operations[i].producers) readers[producer].push_back(i);
  }
  return readers;
}

// Returns whether the operation, and all that it reads, was computed when compiling.
bool is_from_constants(const Explanation& explanation, size_t operation) {
  std::vector<size_t> pending{operation};
  std::vector<bool> seen(explanation.operations.size());
  while (!pending.empty()) {
    const size_t i = pending.back();
    pending.pop_back();
    if (seen[i]) continue;
    seen[i] = true;
    const ExplainedOperation& read = explanation.operations[i];
    if (!read.folded || !read.model_inputs.empty()) return false;
    pending.insert(pending.end(), read.producers.begin(), read.producers.end());
  }
  return true;
}

// Returns the operation in whose box this one stands, as far as it is known at once; itself if it has a box of its own.
size_t next_host(const Explanation& explanation, const std::vector<std::vector<size_t>>& readers, size_t operation) {
  const ExplainedOperation& explained = explanation.operations[operation];
  switch (fate_of(explanation, operation)) {
    case Fate::kMerged:
      return *explained.merged_into;
    case Fate::kAtCompilation:
      return readers[operation].empty() ? operation : readers[operation].front();
    case Fate::kView:
      for (const size_t producer : explained.producers) {
        if (!is_from_constants(explanation, producer)) return producer;
      }
      return readers[operation].empty() ? operation : readers[operation].front();  // a view of an input of the model
    case Fate::kRuns:
    case Fate::kUnused:
      return operation;
  }
  return operation;
}

}  // namespace

Fate fate_of(const Explanation& explanation, size_t operation) {
  const ExplainedOperation& explained = explanation.operations[operation];
  if (explained.merged_into && *explained.merged_into != operation) return Fate::kMerged;
  if (!explained.folded) return Fate::kRuns;
  const auto reads = [&](const ExplainedOperation& other) { return std::ranges::count(other.producers, operation) > 0; };
  if (!explained.is_result && std::ranges::none_of(explanation.operations, reads)) return Fate::kUnused;
  return is_from_constants(explanation, operation) ? Fate::kAtCompilation : Fate::kView;
}

std::string fate_text(Fate fate) {
  switch (fate) {
    case Fate::kMerged:
      return "in the same step";
    case Fate::kView:
      return "no work: a view";
    case Fate::kAtCompilation:
      return "done at compilation";
    case Fate::kUnused:
      return "nothing reads it";
    case Fate::kRuns:
      break;
  }
  return "";
}

std::vector<size_t> hosts_of(const Explanation& explanation) {
  const auto readers = readers_of(explanation);
  std::vector<size_t> next;
  for (size_t i = 0; i < explanation.operations.size(); ++i) next.push_back(next_host(explanation, readers, i));
  std::vector<size_t> hosts;
  for (size_t i = 0; i < next.size(); ++i) {
    size_t host = i;
    for (size_t steps = 0; next[host] != host && steps < next.size(); ++steps) host = next[host];
    hosts.push_back(next[host] == host ? host : i);  // in a circle, each keeps its own box
  }
  return hosts;
}

Graph graph_of(const Explanation& explanation) {
  Graph graph;
  const std::vector<size_t> hosts = hosts_of(explanation);
  for (size_t i = 0; i < explanation.inputs.size(); ++i) graph.nodes.push_back({GraphNode::Kind::kInput, i, {}});
  std::map<size_t, size_t> node_of;  // operation with a box -> node
  for (size_t i = 0; i < hosts.size(); ++i) {
    if (hosts[i] != i) continue;
    node_of[i] = graph.nodes.size();
    graph.nodes.push_back({GraphNode::Kind::kOperation, i, {}});
  }
  const auto add = [&](size_t from, size_t to) {
    if (from != to) graph.edges.push_back({from, to});
  };
  for (size_t i = 0; i < hosts.size(); ++i) {
    const size_t node = node_of.at(hosts[i]);
    if (hosts[i] != i) graph.nodes[node].inside.push_back(i);
    for (const size_t input : explanation.operations[i].model_inputs) add(input, node);
    for (const size_t producer : explanation.operations[i].producers) {
      if (!is_from_constants(explanation, producer)) add(node_of.at(hosts[producer]), node);
    }
  }
  for (size_t i = 0; i < explanation.outputs.size(); ++i) {
    graph.nodes.push_back({GraphNode::Kind::kOutput, i, {}});
    if (const auto producer = explanation.outputs[i].producer) add(node_of.at(hosts[*producer]), graph.nodes.size() - 1);
  }
  std::ranges::sort(graph.edges);
  const auto repeated = std::ranges::unique(graph.edges);
  graph.edges.erase(repeated.begin(), repeated.end());
  return graph;
}

std::string title_of(const Explanation& explanation, const GraphNode& node) {
  if (node.kind == GraphNode::Kind::kOperation) return fmt::format("{} {}", node.index, explanation.operations[node.index].name);
  const bool is_input = node.kind == GraphNode::Kind::kInput;
  const std::string& name = (is_input ? explanation.inputs : explanation.outputs)[node.index].name;
  return fmt::format("{} {}{}{}", is_input ? "input" : "output", node.index, name.empty() ? "" : ": ", name);
}

std::vector<std::string> lines_of_merged(const Explanation& explanation, const GraphNode& node) {
  std::vector<std::pair<std::string, size_t>> counted;  // in the order of the operations
  for (const size_t i : node.inside) {
    const std::string line = explanation.operations[i].name + " (" + fate_text(fate_of(explanation, i)) + ")";
    const auto known = std::ranges::find(counted, line, [](const auto& entry) { return entry.first; });
    if (known != counted.end()) {
      ++known->second;
    } else {
      counted.emplace_back(line, 1);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [line, count] : counted) lines.push_back(count == 1 ? line : fmt::format("{} x {}", count, line));
  return lines;
}

std::vector<std::string> devices_in(const Explanation& explanation) {
  std::vector<std::string> devices;
  for (const ExplainedOperation& operation : explanation.operations) {
    if (operation.device.empty() || operation.folded) continue;
    if (std::ranges::find(devices, operation.device) == devices.end()) devices.push_back(operation.device);
  }
  return devices;
}

std::vector<const DeviceAnswer*> refusals_of(const Explanation& explanation, const ExplainedOperation& operation) {
  const std::vector<std::string> devices = devices_in(explanation);
  std::vector<const DeviceAnswer*> refusals;
  for (const DeviceAnswer& answer : operation.answers) {
    const bool is_chosen = (", " + explanation.device + ", ").find(", " + answer.device + ", ") != std::string::npos ||
                           std::ranges::find(devices, answer.device) != devices.end();
    if (!answer.supported && is_chosen) refusals.push_back(&answer);
  }
  return refusals;
}

}  // namespace nnvk::tools
