// The graph that drawings of an explanation show: inputs, operations with everything that was merged into them, outputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/reports/explanation.h"
#include "tools/reports/layout.h"

namespace nnvk::tools {

// How an operation comes to its result.
enum class Fate {
  kRuns,           // a device runs it in a step of its own, or nothing was compiled
  kMerged,         // a device computes it in another operation's step
  kView,           // no work: its result has the bytes of its input
  kAtCompilation,  // from constants alone, when compiling
  kUnused,         // nothing reads its result
};
Fate fate_of(const Explanation& explanation, size_t operation);

// A box of the drawing.
struct GraphNode {
  enum class Kind { kInput, kOutput, kOperation };
  Kind kind = Kind::kOperation;
  size_t index = 0;            // of the input, the output or the operation
  std::vector<size_t> inside;  // operations that were merged into this one, ascending
};

struct Graph {
  std::vector<GraphNode> nodes;  // inputs, operations in the model's order, outputs
  // Edges between nodes, each once. Constants have none, and neither have values that the library computes from constants when it
  // compiles.
  std::vector<GraphEdge> edges;
};

Graph graph_of(const Explanation& explanation);

// Returns, for each operation, the operation in whose box it is drawn: most often itself.
std::vector<size_t> hosts_of(const Explanation& explanation);

// Returns the title of a box: "input 0: image", "output 1", "12 CONV_2D".
std::string title_of(const Explanation& explanation, const GraphNode& node);
// Returns a line per kind of merged operation: "ADD", or for several of one name "2 x CAST". The reason why they need no box
// follows in brackets.
std::vector<std::string> lines_of_merged(const Explanation& explanation, const GraphNode& node);
// Returns "in the same step", "no work: a view" and so on; "" for operations that run.
std::string fate_text(Fate fate);

// Returns the devices that run operations, each once, in the order of the operations.
std::vector<std::string> devices_in(const Explanation& explanation);
// Returns the devices that decline the operation, among those that were chosen and those that run a part of the model.
std::vector<const DeviceAnswer*> refusals_of(const Explanation& explanation, const ExplainedOperation& operation);

}  // namespace nnvk::tools
