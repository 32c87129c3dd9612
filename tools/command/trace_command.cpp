// `nnvk trace`: prints the time in recorded traces by phase and layer, for each run of the application.
#include <fmt/format.h>

#include "tools/command/command.h"
#include "tools/command/json_output.h"
#include "tools/trace/detail.h"
#include "tools/trace/runs.h"
#include "tools/trace/table.h"

namespace nnvk::tools {
namespace {

Result<trace::Trace> read_files(const std::vector<std::string>& files) {
  trace::Trace whole;
  for (const std::string& file : files) {
    TOOLS_ASSIGN(auto part, trace::read_trace(file));
    trace::add_trace(whole, std::move(part));
  }
  return whole;
}

struct SummarisedRun {
  trace::Summary summary;
  bool benchmark = false;  // only the benchmark is summarised
};

Result<SummarisedRun> summarise_run(const trace::Trace& run, bool per_execution) {
  if (!per_execution) return SummarisedRun{trace::summarise(run), false};
  const auto benchmark = trace::benchmark_of(run);
  TOOLS_ASSIGN(const auto summary, trace::per_execution(trace::summarise(benchmark ? *benchmark : run)));
  return SummarisedRun{summary, benchmark.has_value()};
}

Status print_trace_as_json(const trace::Trace& whole, bool per_execution) {
  TOOLS_ASSIGN(const auto all, summarise_run(whole, per_execution));
  auto json = to_json(all.summary, per_execution);
  json["runs"] = nlohmann::ordered_json::array();
  for (const trace::Run& run : trace::runs_of(whole)) {
    const auto summarised = summarise_run(run.trace, per_execution);
    nlohmann::ordered_json entry{{"name", run.name}};
    if (summarised) {
      entry["benchmark_only"] = summarised->benchmark;
      entry.update(to_json(summarised->summary, per_execution));
    } else {
      entry["error"] = summarised.error().message;
    }
    json["runs"].push_back(std::move(entry));
  }
  print_json(std::move(json));
  return {};
}

Status print_trace_as_text(const trace::Trace& whole, const TraceOptions& options) {
  const std::vector<trace::Run> runs = trace::runs_of(whole);
  for (const trace::Run& run : runs) {
    const auto summarised = summarise_run(run.trace, options.per_execution);
    if (!summarised && runs.size() == 1) return tl::unexpected(summarised.error());
    if (&run != &runs.front()) fmt::print("\n");
    if (summarised) {
      fmt::print("{}", to_text(summarised->summary, {.run = run.name,
                                                     .total_times = options.total_times,
                                                     .per_execution = options.per_execution,
                                                     .benchmark = summarised->benchmark}));
    } else {
      fmt::print("{}: {}\n", run.name, summarised.error().message);
    }
    if (options.print_detail) fmt::print("\n{}", trace::detail_text(run.trace));
  }
  return {};
}

}  // namespace

int run_trace(const TraceOptions& options) {
  const auto whole = read_files(options.files);
  if (!whole) return report_error(whole.error());
  const Status printed = options.json ? print_trace_as_json(*whole, options.per_execution) : print_trace_as_text(*whole, options);
  return printed ? kSuccess : report_error(printed.error());
}

}  // namespace nnvk::tools
