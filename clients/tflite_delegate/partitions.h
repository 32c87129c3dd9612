// Decides which operators of a graph nnvk takes, grouped into partitions, and says why it leaves the others.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clients/device_choice.h"
#include "importers/tflite/graph.h"

namespace nnvk::clients::tflite {

// Operators that become one node. Tensors are those of the graph that the operators belong to.
struct Partition {
  std::vector<size_t> operators;  // ascending positions in Graph::operators
  std::vector<int> inputs;        // all tensors that they read and do not write, constants and variables too
  std::vector<int> outputs;       // tensors that others read, or the graph gives
};

// The answer for a partition on its own.
struct Judgement {
  std::vector<size_t> refused;  // operators that must stay with the interpreter; empty: all can be taken
  std::string reason;           // why
};

// One reason per operator that stays with the interpreter; nothing for operators that are taken.
using Reasons = std::vector<std::optional<std::string>>;

struct Selection {
  std::vector<Partition> partitions;
  Reasons reasons;
};

// Groups the operators without a reason into partitions, as the runtime would.
using Grouping = std::function<Result<std::vector<Partition>>(const Reasons&)>;
using Judge = std::function<Result<Judgement>(const Partition&)>;

// Takes all operators without a reason, except those that a judgement refuses. Pure, but for the work of the functions. Errors
// are those of the functions.
Result<Selection> select(Reasons reasons, const Grouping& group, const Judge& judge);

// Returns the graph that a partition is on its own, over the same tensors.
importers::tflite::Graph cut_out(const importers::tflite::Graph& graph, const Partition& partition);

// Judges a partition by an import, by what the devices support, and by the options. Fails if the library does not answer.
Result<Judgement> judge_partition(const importers::tflite::Graph& graph, const Partition& partition, const PluginOptions& options,
                                  const DeviceChoice& devices);

// Writes a report for people: one line per partition, and one per reason with the number of operators it holds for.
std::string report(const importers::tflite::Graph& graph, const Selection& selection);

}  // namespace nnvk::clients::tflite
