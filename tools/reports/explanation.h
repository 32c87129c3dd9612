// Which part of a model runs on which device and why, collected from the library's descriptions and shown as a table or a graph.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/nnapi/model_builder.h"
#include "tools/reports/placement.h"
#include "tools/reports/profile.h"

namespace nnvk::tools {

// One device's answer for an operation.
struct DeviceAnswer {
  std::string device;
  bool supported = false;
  std::string reason;  // why not
  double predicted_seconds = 0;
};

struct ExplainedOperation {
  std::string name;
  std::string origin;                 // the file's operator
  std::string result;                 // type and shape of the first output
  std::string device;                 // that runs it; "" when it was merged into others or nothing was compiled
  bool folded = false;                // into another operation, or computed when compiling
  size_t partition = 0;               // that computes it, unless folded or not compiled
  std::vector<DeviceAnswer> answers;  // of all devices
  std::optional<double> measured_seconds;
  std::vector<size_t> producers;  // operations whose results it reads, ascending, each once
  bool is_result = false;         // an output of the model

  // The answer of the device that runs it, else of `chosen`; null if that device has not been asked.
  const DeviceAnswer* answer_of(const std::string& chosen) const;
};

struct Explanation {
  std::string device;   // the chosen one, or several of them
  std::string refusal;  // why it does not run the whole model; "" when it does
  std::vector<PlacedPartition> partitions;
  std::vector<ExplainedOperation> operations;
  std::optional<double> measured_seconds;  // of the fastest whole execution, without the times of operations
};

// Explains the operations of a finished model from the JSON of nnvk_explainModel(); origins[i] is the origin of operation i.
Result<Explanation> explain(const ModelBuilder& model, const std::vector<std::string>& origins,
                            const std::string& explanation_json);
// The same with the library's answers for all devices.
Result<Explanation> explain(const ModelBuilder& model, const std::vector<std::string>& origins);
void add_placement(Explanation& explanation, const Placement& placement);
// Adds up the times of nodes per operation.
void add_measurement(Explanation& explanation, const std::vector<ProfiledNode>& nodes);

// The time in seconds of the fastest of 15 executions, after one that warms up. `execute` computes once and returns its seconds.
// Predictions ignore other work on the machine, so the fastest execution is what they compare with.
Result<double> fastest_execution(const std::function<Result<double>()>& execute);

// A table with a line per operation, and below it a line for each device that declines it; then sums, and partitions if there are
// several.
std::string to_text(const Explanation& explanation);
nlohmann::json to_json(const Explanation& explanation);
// A graph in Graphviz's language: a box per operation, coloured by device, dashed if the operation was merged; times if known. If
// there are several partitions, frames surround their operations.
std::string to_dot(const Explanation& explanation);

}  // namespace nnvk::tools
