// Compares two lists of kernels, made before and after a change.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "tools/command/kernel_list.h"

using nlohmann::ordered_json;

namespace nnvk::tools {
namespace {

// The statistics for which less is better. For "Subgroups per SIMD" more is better. Other statistics (such as hashes) are not
// judged.
constexpr std::array<std::string_view, 12> kLessIsBetter{
    "VGPRs",        "Spilled VGPRs", "Spilled SGPRs", "LDS size",           "Scratch size", "Code size",
    "Instructions", "Copies",        "Branches",      "Inverse Throughput", "Latency",      "Instruction Count"};
constexpr std::string_view kMoreIsBetter = "Subgroups per SIMD";

int verdict(const std::string& statistic, double before, double after) {
  if (statistic == kMoreIsBetter) return after > before ? 1 : -1;
  if (std::ranges::find(kLessIsBetter, statistic) == kLessIsBetter.end()) return 0;
  return after < before ? 1 : -1;
}

std::vector<StatisticChange> changes_of(const ordered_json& before, const ordered_json& after) {
  std::vector<StatisticChange> changes;
  for (const auto& [name, value] : after.items()) {
    const auto old = before.find(name);
    if (old == before.end() || !value.is_number() || !old->is_number() || *old == value || name.ends_with("ash")) continue;
    const auto from = old->get<double>();
    const auto to = value.get<double>();
    changes.push_back({name, from, to, verdict(name, from, to)});
  }
  return changes;
}

std::string_view verdict_text(int verdict) { return verdict > 0 ? "better" : verdict < 0 ? "worse" : "changed"; }

}  // namespace

KernelComparison compare(const KernelList& before, const KernelList& after) {
  KernelComparison comparison;
  std::map<std::string, const PipelineLine*> old;
  for (const PipelineLine& line : before.pipelines) old.emplace(line.name, &line);
  for (const PipelineLine& line : after.pipelines) {
    const auto known = old.find(line.name);
    if (known == old.end()) {
      comparison.only_after.push_back(line.name);
      continue;
    }
    auto changes = changes_of(known->second->statistics, line.statistics);
    old.erase(known);
    if (changes.empty()) {
      ++comparison.same;
    } else {
      comparison.changed.push_back({line.name, std::move(changes)});
    }
  }
  for (const auto& [name, line] : old) comparison.only_before.push_back(name);
  return comparison;
}

ordered_json to_json(const KernelComparison& comparison) {
  ordered_json changed = ordered_json::array();
  for (const PipelineChange& pipeline : comparison.changed) {
    ordered_json changes = ordered_json::array();
    for (const StatisticChange& change : pipeline.changes) {
      changes.push_back({{"statistic", change.statistic},
                         {"before", change.before},
                         {"after", change.after},
                         {"verdict", verdict_text(change.verdict)}});
    }
    changed.push_back({{"name", pipeline.name}, {"changes", changes}});
  }
  return {{"changed", changed},
          {"only_before", comparison.only_before},
          {"only_after", comparison.only_after},
          {"same", comparison.same}};
}

std::string to_text(const KernelComparison& comparison) {
  std::string text;
  for (const PipelineChange& pipeline : comparison.changed) {
    text += pipeline.name + "\n";
    for (const StatisticChange& change : pipeline.changes) {
      text += fmt::format("  {:<8} {:<20} {:>8} -> {:<8}\n", verdict_text(change.verdict), change.statistic, change.before,
                          change.after);
    }
  }
  for (const std::string& name : comparison.only_before) text += fmt::format("only in the first   {}\n", name);
  for (const std::string& name : comparison.only_after) text += fmt::format("only in the second  {}\n", name);
  return text + fmt::format("{} pipelines changed, {} the same, {} only in the first, {} only in the second\n",
                            comparison.changed.size(), comparison.same, comparison.only_before.size(),
                            comparison.only_after.size());
}

}  // namespace nnvk::tools
