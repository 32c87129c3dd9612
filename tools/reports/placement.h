// The placement of a compilation, read from the library's JSON and printed for people.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/nnapi/session.h"

namespace nnvk::tools {

struct PlacedOperation {
  std::string name;
  std::string device;  // "" when removed
  bool removed = false;
  size_t partition = 0;  // unless removed
};

// One device's part of the model, with the library's predictions.
struct PlacedPartition {
  std::string device;
  size_t operations = 0;
  double predicted_seconds = 0;
  double transfer_seconds = 0;  // to start it, and to move data to the device and away
  double transfer_bytes = 0;
};

struct Placement {
  std::vector<PlacedOperation> operations;
  std::vector<PlacedPartition> partitions;
  std::map<std::string, int64_t> counters;  // summed over the partitions
};

// Predicts the time of one execution: all partitions, including their start and data transfers; nothing without partitions.
std::optional<double> predicted_seconds(const std::vector<PlacedPartition>& partitions);
// Writes a text such as "predicted 2.100 ms, measured 2.000 ms (...): off by 5 %". `measured_as`: how the time was measured.
std::string compare_with_prediction(double predicted, double measured, const std::string& measured_as);

Placement parse_placement(const nlohmann::json& description);
Result<Placement> placement_of(const Session& session);

// Writes a line such as "7 operations: 6 on vulkan-llvmpipe, 1 merged into others; 1 partition", then a list: a line per
// operation for a small model, counts per name and device for a large one.
std::string to_text(const Placement& placement);

}  // namespace nnvk::tools
