// Prints summaries.
#include "tools/trace/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace nnvk::tools::trace {
namespace {

constexpr std::array<const char*, kLayers> kLayerNames{"Application", "Runtime", "IPC", "Driver", "CPU", "GPU", "Other"};
constexpr std::array<const char*, kPhases> kPhaseNames{"Initialization", "Preparation", "Compilation", "I/O",
                                                       "Compute",        "Results",     "Termination", "Other"};
constexpr size_t kNameWidth = 12;
constexpr size_t kCellWidth = 15;

using OfLayers = std::array<double, kLayers>;

struct Column {
  std::string title;
  OfLayers seconds;
};

const OfLayers& of_phase(const Times& times, Phase phase) { return times.seconds[static_cast<size_t>(phase)]; }

Column phase_column(const Times& times, Phase phase) { return {kPhaseNames[static_cast<size_t>(phase)], of_phase(times, phase)}; }

double sum_of(const OfLayers& seconds) { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

double last_row(const OfLayers& seconds, bool total_times) {
  return total_times ? *std::ranges::max_element(seconds) : sum_of(seconds);
}

std::vector<Column> execution_columns(const Times& times, const char* title_of_sum) {
  std::vector<Column> columns;
  for (const Phase phase : kExecutionPhases) columns.push_back(phase_column(times, phase));
  columns.push_back({title_of_sum, times.execution});
  return columns;
}

std::vector<Column> all_columns(const Times& times, bool total_times) {
  std::vector<Column> columns;
  for (const Phase phase : {Phase::kInitialization, Phase::kPreparation, Phase::kCompilation}) {
    columns.push_back(phase_column(times, phase));
  }
  std::ranges::move(execution_columns(times, "Ex. total"), std::back_inserter(columns));
  columns.push_back(phase_column(times, Phase::kTermination));
  const bool has_others = !total_times && sum_of(of_phase(times, Phase::kOther)) > 0;
  if (has_others) columns.push_back(phase_column(times, Phase::kOther));
  columns.push_back({"Total", times.whole});
  return columns;
}

std::vector<Layer> rows_of(const Times& times) {
  std::vector<Layer> layers{Layer::kApplication, Layer::kRuntime, Layer::kIpc, Layer::kDriver, Layer::kCpu};
  for (const Layer layer : {Layer::kGpu, Layer::kOther}) {
    if (times.whole[static_cast<size_t>(layer)] > 0) layers.push_back(layer);
  }
  return layers;
}

std::string cell(double seconds, const char* nothing) {
  return fmt::format("{:>{}}", seconds > 0 ? fmt::format("{:.3f}", seconds * 1e3) : nothing, kCellWidth);
}

std::string percentage(double part, double whole) {
  return fmt::format("{:>{}}", whole > 0 ? fmt::format("{:.2f} %", 100 * part / whole) : "n/a", kCellWidth);
}

std::string head(const std::vector<Column>& columns, const TableOptions& options) {
  std::string text = options.run.empty() ? "" : options.run + "\n";
  text += fmt::format("NNAPI timing summary ({}, ms wall-clock)\n", options.total_times ? "total time" : "self-times");
  const auto io = std::ranges::find(columns, kPhaseNames[static_cast<size_t>(Phase::kInputsAndOutputs)], &Column::title);
  const size_t before = kNameWidth + kCellWidth * static_cast<size_t>(io - columns.begin());
  const char* const group = options.benchmark ? " Benchmark " : " Execution ";
  text += fmt::format("{:{}}   {:-^{}}\n", "", before, group, kCellWidth * (kExecutionPhases.size() + 1) - 3);
  text += fmt::format("{:{}}", "", kNameWidth);
  for (const Column& column : columns) text += fmt::format("{:>{}}", column.title, kCellWidth);
  return text + (options.per_execution ? fmt::format("{:>{}}", "Percentage", kCellWidth) : "") + "\n";
}

std::string notes(const Summary& summary, const TableOptions& options) {
  std::string text =
      fmt::format("{} executions{}\n", summary.executions, options.per_execution ? "; the times of one, on average" : "");
  if (summary.without_end > 0) {
    text += fmt::format("sections that had not ended when the trace stopped: {}\n", summary.without_end);
  }
  if (summary.without_begin > 0) {
    text += fmt::format("sections that had begun before the trace did, not counted: {}\n", summary.without_begin);
  }
  return text;
}

nlohmann::ordered_json to_json(const Times& times, bool total_times) {
  nlohmann::ordered_json json;
  const auto add = [&](const char* name, const OfLayers& seconds) {
    auto& entry = json[name];
    for (size_t layer = 0; layer < kLayers; ++layer) entry[kLayerNames[layer]] = seconds[layer];
    entry["Total"] = last_row(seconds, total_times);
  };
  for (size_t phase = 0; phase < kPhases; ++phase) add(kPhaseNames[phase], times.seconds[phase]);
  add("Execution", times.execution);
  add("Total", times.whole);
  return json;
}

}  // namespace

std::string to_text(const Summary& summary, const TableOptions& options) {
  const Times& times = options.total_times ? summary.total : summary.self;
  const auto columns = options.per_execution ? execution_columns(times, "Total") : all_columns(times, options.total_times);
  const double all_execution = last_row(times.execution, options.total_times);
  std::string text = head(columns, options);
  for (const Layer layer : rows_of(times)) {
    const auto l = static_cast<size_t>(layer);
    text += fmt::format("{:<{}}", kLayerNames[l], kNameWidth);
    for (const Column& column : columns) text += cell(column.seconds[l], layer == Layer::kApplication ? "n/a" : "-");
    text += (options.per_execution ? percentage(times.execution[l], all_execution) : "") + "\n";
  }
  text += fmt::format("\n{:<{}}", "Total", kNameWidth);
  for (const Column& column : columns) text += cell(last_row(column.seconds, options.total_times), "-");
  text += (options.per_execution ? percentage(all_execution, all_execution) : "") + "\n";
  return text + notes(summary, options);
}

nlohmann::ordered_json to_json(const Summary& summary, bool is_per_execution) {
  return {{"executions", summary.executions},
          {"per_execution", is_per_execution},
          {"seconds", to_json(summary.self, false)},
          {"total_seconds", to_json(summary.total, true)},
          {"sections_without_end", summary.without_end},
          {"sections_without_begin", summary.without_begin}};
}

}  // namespace nnvk::tools::trace
