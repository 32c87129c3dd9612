// Groups the nodes of a graph into subgraphs that can run as one node, and cuts subgraphs out. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "clients/onnxruntime_provider/names.h"

namespace nnvk::clients::onnxruntime {

// The nodes of one subgraph: indexes of Graph::nodes, in ascending order.
using NodeGroup = std::vector<size_t>;

// Groups the nodes that `taken` marks (one entry per node). No path leads from a group through another node back into it, and the
// groups together stay free of cycles, also if some of them are given up. Nodes without a connection are in different groups.
// Nodes on a cycle, which no valid graph has, are in no group.
std::vector<NodeGroup> convex_groups(const Graph& graph, const std::vector<bool>& taken);

// Splits a graph into groups of nodes that run one after the other, each with constants of about `most_bytes` if the graph has
// such places: a single value of known shape crosses from one group to the next, and no pair of quantization and layer is torn
// apart. A graph with fewer bytes is one group. Nodes on a cycle are in no group.
std::vector<NodeGroup> segments_of(const Graph& graph, size_t most_bytes);

// Returns the graph that these nodes are on their own. Its inputs are the values that the nodes read, but neither constants nor
// values that the nodes write. Its outputs are the values that another node reads or the whole graph gives. Constants keep their
// bytes in place.
Graph cut_out(const Graph& graph, const NodeGroup& nodes);

}  // namespace nnvk::clients::onnxruntime
