// Reading and printing of placements.
#include "tools/reports/placement.h"

#include <fmt/format.h>

#include "tools/nnapi/descriptions.h"

namespace nnvk::tools {
namespace {

constexpr size_t kListAllUpTo = 24;
constexpr const char* kFolded = "(merged into other operations, or computed at compilation)";

}  // namespace

std::optional<double> predicted_seconds(const std::vector<PlacedPartition>& partitions) {
  if (partitions.empty()) return std::nullopt;
  double seconds = 0;
  for (const auto& part : partitions) seconds += part.predicted_seconds + part.transfer_seconds;
  return seconds;
}

std::string compare_with_prediction(double predicted, double measured, const std::string& measured_as) {
  return fmt::format("predicted {:.3f} ms, measured {:.3f} ms ({}): off by {:.0f} %", predicted * 1e3, measured * 1e3,
                     measured_as, 100 * (predicted / measured - 1));
}

Placement parse_placement(const nlohmann::json& description) {
  Placement placement;
  for (const auto& operation : description.value("operations", nlohmann::json::array())) {
    PlacedOperation placed;
    placed.name = operation.value("name", "");
    placed.removed = operation.value("removed", false);
    if (const auto device = operation.find("device"); device != operation.end() && device->is_string()) placed.device = *device;
    placed.partition = operation.value("partition", size_t{0});
    placement.operations.push_back(std::move(placed));
  }
  for (const auto& partition : description.value("partitions", nlohmann::json::array())) {
    placement.partitions.push_back({partition.value("device", ""), partition.value("nodes", size_t{0}),
                                    partition.value("predicted_seconds", 0.0), partition.value("transfer_seconds", 0.0),
                                    partition.value("transfer_bytes", 0.0)});
    const auto counters = partition.value("counters", nlohmann::json::object());
    for (const auto& [name, value] : counters.items()) {
      if (value.is_number()) placement.counters[name] += value.get<int64_t>();
    }
  }
  return placement;
}

Result<Placement> placement_of(const Session& session) {
  TOOLS_ASSIGN(const auto json, session.describe_compilation());
  TOOLS_ASSIGN(const nlohmann::json document, parse_description(json, "the compilation"));
  return parse_placement(document);
}

std::string to_text(const Placement& placement) {
  std::map<std::string, size_t> per_device;
  std::map<std::pair<std::string, std::string>, size_t> per_name;
  size_t folded = 0;
  for (const auto& operation : placement.operations) {
    if (operation.removed) {
      ++folded;
    } else {
      ++per_device[operation.device];
    }
    ++per_name[{operation.name, operation.removed ? kFolded : operation.device}];
  }
  auto text = fmt::format("{} operations:", placement.operations.size());
  const char* separator = " ";
  for (const auto& [device, count] : per_device) {
    text += fmt::format("{}{} on {}", separator, count, device);
    separator = ", ";
  }
  if (folded) text += fmt::format("{}{} merged into others", separator, folded);
  text += fmt::format("; {} partition{}\n", placement.partitions.size(), placement.partitions.size() == 1 ? "" : "s");
  if (placement.operations.size() <= kListAllUpTo) {
    for (size_t i = 0; i < placement.operations.size(); ++i) {
      const auto& operation = placement.operations[i];
      text += fmt::format("  {:>3} {:<24} {}\n", i, operation.name, operation.removed ? kFolded : operation.device);
    }
  } else {
    for (const auto& [key, count] : per_name) text += fmt::format("  {:>3}x {:<23} {}\n", count, key.first, key.second);
  }
  return text;
}

}  // namespace nnvk::tools
