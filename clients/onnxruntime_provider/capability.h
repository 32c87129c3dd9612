// Decides which nodes of a graph nnvk takes, grouped into subgraphs, and says why it leaves the others.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clients/device_choice.h"
#include "clients/onnxruntime_provider/options.h"
#include "clients/onnxruntime_provider/subgraphs.h"
#include "clients/predicted_time.h"

namespace nnvk::clients::onnxruntime {

struct Subgraph {
  NodeGroup nodes;
  bool is_taken = false;
  std::string reason;  // why it is taken or left: predicted times, or the number of nodes
};

struct Capability {
  std::vector<Subgraph> subgraphs;
  std::vector<std::string> refusals;  // per node: why nnvk cannot compute it, or empty
};

// The source of measured times. Both functions take a subgraph whose inputs have known shapes.
struct Trials {
  std::function<std::optional<ComparedTimes>(const Graph& graph)> recall;  // times that were measured before
  std::function<Result<ComparedTimes>(const Graph& graph)> measure;        // on nnvk and on the runtime (trial.h)
};

// Judges a whole graph. Fails if the library does not answer. The times of `trials` decide, unless there are none or
// Options::measures says no; predicted times decide then, and where a trial fails.
Result<Capability> assess(const Graph& graph, const Options& options, const DeviceChoice& devices,
                          const std::optional<Trials>& trials = {});

// Writes a report for people: one line per subgraph, and one per reason with the number of nodes it holds for.
std::string report(const Graph& graph, const Capability& capability);

}  // namespace nnvk::clients::onnxruntime
