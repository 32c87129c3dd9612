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
  // Between nodes, each once. Constants, and what is computed from them when compiling, have none.
  std::vector<GraphEdge> edges;
};

Graph graph_of(const Explanation& explanation);

// The operation in whose box each operation is drawn: most often itself.
std::vector<size_t> hosts_of(const Explanation& explanation);

// "input 0: image", "output 1", "12 CONV_2D".
std::string title_of(const Explanation& explanation, const GraphNode& node);
// "ADD", or for several operations of one name "2 x CAST", then why they need no box, in brackets.
std::vector<std::string> lines_of_merged(const Explanation& explanation, const GraphNode& node);
// "in the same step", "no work: a view", ...; "" for operations that run.
std::string fate_text(Fate fate);

// The devices that run operations, each once, in the order of the operations.
std::vector<std::string> devices_in(const Explanation& explanation);
// The devices that decline the operation, among those that were chosen and those that run a part of the model.
std::vector<const DeviceAnswer*> refusals_of(const Explanation& explanation, const ExplainedOperation& operation);

}  // namespace nnvk::tools
