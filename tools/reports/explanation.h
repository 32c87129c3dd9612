// Which part of a model runs on which device and why, collected from the library's descriptions and shown as a table (drawings:
// graph.h).
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
  std::optional<size_t> merged_into;  // the operation in whose step the device computes it too; known after measuring
  std::vector<size_t> producers;      // operations whose results it reads, ascending, each once
  std::vector<size_t> model_inputs;   // that it reads: positions in Explanation::inputs, ascending, each once
  bool is_result = false;             // an output of the model

  // Returns the answer of the device that runs the operation, else of `chosen`; null if that device has not been asked.
  const DeviceAnswer* answer_of(const std::string& chosen) const;
};

// An input or output of the model.
struct ExplainedPort {
  std::string name;                // the file's; "" if it has none
  std::string type;                // and shape
  std::optional<size_t> producer;  // outputs: the operation
};

struct Explanation {
  std::string device;   // the chosen one, or several of them
  std::string refusal;  // why it does not run the whole model; "" when it does
  std::vector<ExplainedPort> inputs;
  std::vector<ExplainedPort> outputs;
  std::vector<PlacedPartition> partitions;
  std::vector<ExplainedOperation> operations;
  std::optional<double> measured_seconds;  // of the fastest whole execution, without the times of operations
};

// The words of the model's source for its parts, in the model's order. Lists may be shorter than the model's, or empty.
struct SourceNames {
  std::vector<std::string> operations;  // their origins: "operator 12 (CONV_2D)"
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

// Explains the operations of a finished model from the JSON of nnvk_explainModel().
Result<Explanation> explain(const ModelBuilder& model, const SourceNames& names, const std::string& explanation_json);
// Explains the operations with the library's answers for all devices.
Result<Explanation> explain(const ModelBuilder& model, const SourceNames& names);
void add_placement(Explanation& explanation, const Placement& placement);
// Adds up the times of nodes per operation, and notes which operations were computed together.
void add_measurement(Explanation& explanation, const std::vector<ProfiledNode>& nodes);
// Returns the predicted time of an operation on its device; nothing if the operation does not run by itself, or if the device
// declines it.
std::optional<double> predicted_seconds(const Explanation& explanation, const ExplainedOperation& operation);
// Writes a time as "1.234", or "-" without a time.
std::string milliseconds(std::optional<double> seconds);

// Returns the time in seconds of the fastest of 15 executions, after one that warms up. `execute` computes once and returns its
// seconds. Predictions ignore other work on the machine, so they compare with the fastest execution.
Result<double> fastest_execution(const std::function<Result<double>()>& execute);

// Writes a table with a line per operation, and below it a line for each device that declines it; then sums, and partitions if
// there are several.
std::string to_text(const Explanation& explanation);
nlohmann::json to_json(const Explanation& explanation);

}  // namespace nnvk::tools
