// Collects and prints lists of kernels; kernel_comparison.cpp compares them.
#include "tools/command/kernel_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

using nlohmann::ordered_json;

namespace nnvk::tools {
namespace {

std::string name_of_pipeline(const ordered_json& pipeline) {
  std::string name = pipeline.value("kernel", "") + " " + pipeline.value("variant", "");
  for (const auto& [constant, value] : pipeline.at("specialization").items()) {
    name += fmt::format(" {}={}", constant, value.get<uint32_t>());
  }
  return name;
}

uint64_t product(const ordered_json& numbers) {
  uint64_t result = 1;
  for (const auto& number : numbers) result *= number.get<uint64_t>();
  return result;
}

// A column for the statistic of this name (RADV's names). Other drivers' statistics are printed on lines of their own.
struct Column {
  std::string_view statistic;
  std::string_view title;
  int width;
};
constexpr std::array kColumns{Column{"VGPRs", "VGPRs", 5},
                              Column{"Spilled VGPRs", "spilled", 7},
                              Column{"SGPRs", "SGPRs", 5},
                              Column{"Spilled SGPRs", "spilled", 7},
                              Column{"LDS size", "LDS", 6},
                              Column{"Scratch size", "scratch", 7},
                              Column{"Subgroups per SIMD", "waves", 5},
                              Column{"Code size", "code", 6},
                              Column{"Instructions", "instr.", 6},
                              Column{"Inverse Throughput", "inv.thru.", 9}};

bool has_columns(const KernelList& list) {
  return std::ranges::any_of(list.pipelines,
                             [](const PipelineLine& line) { return line.statistics.contains(kColumns.front().statistic); });
}

std::string range_text(uint64_t least, uint64_t most) {
  return least == most ? fmt::format("{}", least) : fmt::format("{}..{}", least, most);
}

std::string others_text(const ordered_json& statistics) {
  std::string text;
  for (const auto& [name, value] : statistics.items())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value.dump());
  return text;
}

}  // namespace

PipelineLine& KernelCollector::line_of(const ordered_json& pipeline) {
  std::string name = name_of_pipeline(pipeline);
  const auto [entry, is_new] = lines_.try_emplace(name, list_.pipelines.size());
  if (!is_new) return list_.pipelines[entry->second];
  PipelineLine& line = list_.pipelines.emplace_back();
  line.name = std::move(name);
  line.kernel = pipeline.value("kernel", "");
  line.family = pipeline.value("family", "");
  line.group_size = product(pipeline.at("local_size"));
  line.statistics = pipeline.value("statistics", ordered_json::object());
  return line;
}

void KernelCollector::add(const ordered_json& answer, const std::string& what) {
  const auto& pipelines = answer.at("pipelines");
  for (const auto& dispatch : answer.at("dispatches")) {
    PipelineLine& line = line_of(pipelines.at(dispatch.at("pipeline").get<size_t>()));
    const uint64_t groups = product(dispatch.at("groups"));
    const bool is_first = line.dispatches + line.preparations == 0;
    line.least_groups = is_first ? groups : std::min(line.least_groups, groups);
    line.most_groups = std::max(line.most_groups, groups);
    const bool once = dispatch.value("once", false);
    const auto times = dispatch.value("times", uint64_t{1});
    (once ? line.preparations : line.dispatches) += times;
    if (!once) line.predicted_seconds += static_cast<double>(times) * dispatch.value("predicted_seconds", 0.0);
    if (!is_first) continue;
    line.example = what.empty() ? dispatch.value("label", "") : what;
    line.reason = dispatch.value("reason", "");
  }
  for (const auto& operation : answer.at("unlisted")) {
    list_.unlisted.push_back(fmt::format("{}{} (operation {}): {}", what.empty() ? "" : what + ": ", operation.value("name", ""),
                                         operation.value("operation", 0), operation.value("reason", "")));
  }
}

ordered_json to_json(const KernelList& list) {
  ordered_json pipelines = ordered_json::array();
  for (const PipelineLine& line : list.pipelines) {
    pipelines.push_back({{"name", line.name},
                         {"kernel", line.kernel},
                         {"family", line.family},
                         {"group_size", line.group_size},
                         {"dispatches", line.dispatches},
                         {"preparations", line.preparations},
                         {"least_groups", line.least_groups},
                         {"most_groups", line.most_groups},
                         {"predicted_seconds", line.predicted_seconds},
                         {"example", line.example},
                         {"reason", line.reason},
                         {"statistics", line.statistics}});
  }
  return {{"source", list.source},
          {"device", list.device},
          {"pipelines", pipelines},
          {"unlisted", list.unlisted},
          {"unused", list.unused}};
}

Result<KernelList> kernel_list_from_json(const std::string& text, const std::string& what) {
  const auto json = ordered_json::parse(text, nullptr, false);
  try {
    KernelList list;
    list.source = json.at("source").get<std::string>();
    list.device = json.at("device");
    for (const auto& one : json.at("pipelines")) {
      PipelineLine& line = list.pipelines.emplace_back();
      one.at("name").get_to(line.name);
      one.at("kernel").get_to(line.kernel);
      one.at("family").get_to(line.family);
      one.at("group_size").get_to(line.group_size);
      one.at("dispatches").get_to(line.dispatches);
      one.at("preparations").get_to(line.preparations);
      one.at("least_groups").get_to(line.least_groups);
      one.at("most_groups").get_to(line.most_groups);
      line.predicted_seconds = one.value("predicted_seconds", 0.0);  // older lists have none
      one.at("example").get_to(line.example);
      one.at("reason").get_to(line.reason);
      line.statistics = one.at("statistics");
    }
    json.at("unlisted").get_to(list.unlisted);
    json.at("unused").get_to(list.unused);
    return list;
  } catch (const ordered_json::exception& problem) {
    return fail(fmt::format("{} is not a list of `nnvk kernels --json`: {}", what, problem.what()));
  }
}

std::string to_text(const KernelList& list) {
  std::string text = fmt::format("kernels   {}\ndevice    {}: {}, {}{}\n", list.source, list.device.value("name", ""),
                                 list.device.value("hardware", ""), list.device.value("version", ""),
                                 list.device.value("usable", false) ? "" : "; for its compiler alone");
  const std::string missing = list.device.value("statistics_missing", "");
  if (!missing.empty()) text += fmt::format("sizes only: {}\n", missing);
  const bool columns = has_columns(list);
  text += "\n";
  if (columns) {
    for (const Column& column : kColumns) text += fmt::format("{:>{}}  ", column.title, column.width);
  }
  text += fmt::format("{:>5}  {:>12}  {:<15}  pipeline\n", "used", "predicted us", "work groups");
  for (const PipelineLine& line : list.pipelines) {
    if (columns) {
      for (const Column& column : kColumns) {
        const auto value = line.statistics.find(column.statistic);
        text += fmt::format("{:>{}}  ", value == line.statistics.end() ? "-" : value->dump(), column.width);
      }
    }
    const uint64_t uses = line.dispatches + line.preparations;
    text += fmt::format("{:>5}  {:>12.1f}  {:<15}  {}\n", uses, line.predicted_seconds * 1e6,
                        range_text(line.least_groups, line.most_groups), line.name);
    text += fmt::format("    {}{}\n", line.example, uses > 1 ? fmt::format(" and {} more", uses - 1) : "");
    text += fmt::format("    {}\n", line.reason);
    if (!columns && !line.statistics.empty()) text += fmt::format("    {}\n", others_text(line.statistics));
  }
  if (list.source != "registry") {
    double seconds = 0;
    for (const PipelineLine& line : list.pipelines) seconds += line.predicted_seconds;
    text += fmt::format("\npredicted for an execution: {:.3f} ms\n", seconds * 1e3);
  }
  if (!list.unlisted.empty()) text += "\nnot listed\n";
  for (const std::string& operation : list.unlisted) text += fmt::format("    {}\n", operation);
  if (!list.unused.empty()) text += fmt::format("\nkernels that nothing chose: {}\n", fmt::join(list.unused, ", "));
  return text;
}

}  // namespace nnvk::tools
