#include "clients/onnxruntime_provider/subgraphs.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace nnvk::clients::onnxruntime {
namespace {

// The edges of a graph: which nodes need which other nodes.
struct Edges {
  std::vector<std::vector<size_t>> before;  // per node, those that it reads from
  std::vector<std::vector<size_t>> after;
};

Edges edges_of(const Graph& graph) {
  std::vector<std::optional<size_t>> producer(graph.values.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const int output : graph.nodes[n].outputs) {
      if (output >= 0) producer[static_cast<size_t>(output)] = n;
    }
  }
  Edges edges{std::vector<std::vector<size_t>>(graph.nodes.size()), std::vector<std::vector<size_t>>(graph.nodes.size())};
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const int input : graph.nodes[n].inputs) {
      if (input < 0 || !producer[static_cast<size_t>(input)]) continue;
      const size_t from = *producer[static_cast<size_t>(input)];
      if (std::ranges::find(edges.before[n], from) != edges.before[n].end()) continue;
      edges.before[n].push_back(from);
      edges.after[from].push_back(n);
    }
  }
  return edges;
}

// Returns the nodes after those that they read from, without those on cycles.
std::vector<size_t> running_order(const Edges& edges) {
  std::vector<size_t> waits_for(edges.before.size());
  std::vector<size_t> order;
  for (size_t n = 0; n < waits_for.size(); ++n) {
    waits_for[n] = edges.before[n].size();
    if (waits_for[n] == 0) order.push_back(n);
  }
  for (size_t done = 0; done < order.size(); ++done) {
    for (const size_t next : edges.after[order[done]]) {
      if (--waits_for[next] == 0) order.push_back(next);
    }
  }
  return order;
}

// Returns the nodes of running_order() in another such order: each node stands as close as possible before the first node that
// reads from it, so that few values cross a place. In running_order(), nodes that read only constants come first.
std::vector<size_t> depth_first_order(const Edges& edges) {
  const std::vector<size_t> runnable = running_order(edges);
  std::vector<size_t> order;
  std::vector<bool> is_seen(edges.before.size(), false);
  std::vector<std::pair<size_t, size_t>> path;  // nodes, and how many of those before them were visited
  for (const size_t last : runnable) {
    if (!edges.after[last].empty()) continue;
    is_seen[last] = true;
    path.emplace_back(last, 0);
    while (!path.empty()) {
      auto& [node, visited] = path.back();
      if (visited == edges.before[node].size()) {
        order.push_back(node);
        path.pop_back();
        continue;
      }
      const size_t next = edges.before[node][visited++];
      if (!is_seen[next]) {
        is_seen[next] = true;
        path.emplace_back(next, 0);
      }
    }
  }
  return order;
}

// Returns the level of each node. A level rises by one wherever a path changes between taken nodes and other nodes. A path that
// leaves a level's taken nodes and comes back would have to rise in between, so the taken nodes of one level are convex.
std::vector<int> levels_of(const Edges& edges, const std::vector<size_t>& order, const std::vector<bool>& taken) {
  std::vector<int> levels(taken.size(), 0);
  for (const size_t n : order) {
    levels[n] = taken[n] ? 0 : 1;
    for (const size_t from : edges.before[n]) levels[n] = std::max(levels[n], levels[from] + (taken[from] == taken[n] ? 0 : 1));
  }
  // A taken node that only later taken ones read joins them: its results then stay inside. Backwards, so that chains follow.
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    int latest = std::numeric_limits<int>::max();
    for (const size_t next : edges.after[*n]) latest = std::min(latest, taken[next] ? levels[next] : levels[*n]);
    if (taken[*n] && !edges.after[*n].empty()) levels[*n] = std::max(levels[*n], latest);
  }
  return levels;
}

bool has_known_shape(const Value& value) {
  return value.has_rank && std::ranges::none_of(value.dimensions, [](int64_t d) { return d < 0; });
}

// Returns for each place in the order whether a segment may end behind it (segments_of()).
std::vector<bool> ends_of_segments(const Graph& graph, const std::vector<size_t>& order) {
  std::vector<size_t> last_use(graph.values.size(), 0);  // behind this place of the order, nobody reads the value
  for (size_t at = 0; at < order.size(); ++at) {
    for (const int input : graph.nodes[order[at]].inputs) {
      if (input >= 0) last_use[static_cast<size_t>(input)] = at;
    }
  }
  std::vector<bool> may_end(order.size(), false);
  std::set<size_t> crossing;  // values that are written so far and read later, inputs of the graph included
  for (const int input : graph.inputs) crossing.insert(static_cast<size_t>(input));
  for (size_t at = 0; at + 1 < order.size(); ++at) {
    const Node& node = graph.nodes[order[at]];
    for (const int output : node.outputs) {
      if (output >= 0) crossing.insert(static_cast<size_t>(output));
    }
    std::erase_if(crossing, [&](size_t value) { return last_use[value] <= at; });
    if (crossing.size() != 1) continue;
    const size_t value = *crossing.begin();
    const bool is_its_own = std::ranges::find(node.outputs, static_cast<int>(value)) != node.outputs.end();
    may_end[at] = is_its_own && has_known_shape(graph.values[value]) && node.op_type != "DequantizeLinear" &&
                  graph.nodes[order[at + 1]].op_type != "QuantizeLinear";
  }
  return may_end;
}

size_t root_of(std::vector<size_t>& parents, size_t node) {
  while (parents[node] != node) node = parents[node] = parents[parents[node]];
  return node;
}

}  // namespace

std::vector<NodeGroup> convex_groups(const Graph& graph, const std::vector<bool>& taken) {
  const Edges edges = edges_of(graph);
  const std::vector<size_t> order = running_order(edges);
  const std::vector<int> levels = levels_of(edges, order, taken);
  std::vector<size_t> parents(taken.size());
  std::iota(parents.begin(), parents.end(), size_t{0});
  for (size_t n = 0; n < taken.size(); ++n) {
    for (const size_t next : edges.after[n]) {
      if (taken[n] && taken[next] && levels[n] == levels[next]) parents[root_of(parents, n)] = root_of(parents, next);
    }
  }
  std::map<size_t, NodeGroup> groups;
  for (const size_t n : order) {
    if (taken[n]) groups[root_of(parents, n)].push_back(n);
  }
  std::vector<NodeGroup> result;
  for (auto& [root, group] : groups) {
    std::ranges::sort(group);
    result.push_back(std::move(group));
  }
  std::ranges::sort(result);
  return result;
}

std::vector<NodeGroup> segments_of(const Graph& graph, size_t most_bytes) {
  const std::vector<size_t> order = depth_first_order(edges_of(graph));
  const std::vector<bool> may_end = ends_of_segments(graph, order);
  std::vector<NodeGroup> segments;
  size_t begin = 0;
  for (size_t end = 0; begin < order.size(); begin = end) {
    std::set<int> constants;
    size_t bytes = 0;
    end = order.size();
    for (size_t at = begin; at < order.size(); ++at) {
      for (const int input : graph.nodes[order[at]].inputs) {
        if (input < 0 || !graph.values[static_cast<size_t>(input)].constant || !constants.insert(input).second) continue;
        bytes += graph.values[static_cast<size_t>(input)].data.size();
      }
      if (bytes > most_bytes && end < order.size()) break;
      if (may_end[at]) end = at + 1;
    }
    if (bytes <= most_bytes) end = order.size();
    NodeGroup& nodes =
        segments.emplace_back(order.begin() + static_cast<ptrdiff_t>(begin), order.begin() + static_cast<ptrdiff_t>(end));
    std::ranges::sort(nodes);
  }
  return segments;
}

Graph cut_out(const Graph& graph, const NodeGroup& nodes) {
  Graph part;
  part.storage = graph.storage;
  std::vector<bool> inside(graph.nodes.size(), false);
  for (const size_t n : nodes) inside[n] = true;
  std::vector<bool> is_wanted(graph.values.size(), false);
  for (const int output : graph.outputs) is_wanted[static_cast<size_t>(output)] = true;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (inside[n]) continue;
    for (const int input : graph.nodes[n].inputs) {
      if (input >= 0) is_wanted[static_cast<size_t>(input)] = true;
    }
  }
  std::vector<int> index_of(graph.values.size(), -1);
  const auto take = [&](int value) {
    if (value < 0) return -1;
    int& index = index_of[static_cast<size_t>(value)];
    if (index < 0) {
      index = static_cast<int>(part.values.size());
      part.values.push_back(graph.values[static_cast<size_t>(value)]);
    }
    return index;
  };
  std::vector<bool> is_own(graph.values.size(), false);
  for (const size_t n : nodes) {
    for (const int output : graph.nodes[n].outputs) {
      if (output < 0) continue;
      is_own[static_cast<size_t>(output)] = true;
      const int index = take(output);
      if (is_wanted[static_cast<size_t>(output)]) part.outputs.push_back(index);
    }
  }
  for (const size_t n : nodes) {
    Node& node = part.nodes.emplace_back(graph.nodes[n]);
    for (int& output : node.outputs) output = take(output);
    for (int& input : node.inputs) {
      const bool is_new = input >= 0 && index_of[static_cast<size_t>(input)] < 0;
      const bool comes_in = is_new && !graph.values[static_cast<size_t>(input)].constant && !is_own[static_cast<size_t>(input)];
      input = take(input);
      if (comes_in) part.inputs.push_back(input);
    }
  }
  return part;
}

}  // namespace nnvk::clients::onnxruntime
