// `nnvk benchmark`: latency, memory, energy and accuracy of several models on several devices and frameworks.
#include <fmt/format.h>

#include <filesystem>

#include "tools/benchmark/page.h"
#include "tools/benchmark/tables.h"
#include "tools/command/benchmark_run.h"
#include "tools/command/conformance_provenance.h"
#include "tools/command/json_output.h"
#include "tools/command/stop_signals.h"
#include "tools/command/upscaler.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools {
namespace {

using benchmark::Benchmark;

Benchmark described(const BenchmarkOptions& options, const BenchmarkPlan& plan, const std::string& date) {
  Benchmark benchmark;
  auto& facts = benchmark.facts;
  facts.emplace_back("nnvk", fmt::format("{} (commit {})", nnvk_version(), nnvk_commit()));
  facts.emplace_back("date", date);
  facts.emplace_back("options", options.command_line);
  if (const auto environment = relevant_environment(); !environment.empty()) facts.emplace_back("environment", environment);
  for (const BenchmarkEngine& engine : plan.engines) facts.emplace_back(engine.choice.name, engine.description);
  benchmark.notes = plan.notes;
  return benchmark;
}

Status write_report(const std::filesystem::path& folder, const Benchmark& benchmark) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  TOOLS_TRY(write_file(folder / "index.html", benchmark::to_page(benchmark)));
  TOOLS_TRY(write_file(folder / "results.json", json_text(benchmark::to_json(benchmark))));
  return write_file(folder / "results.csv", benchmark::to_csv(benchmark));
}

}  // namespace

int run_benchmark(const BenchmarkOptions& given) {
  BenchmarkOptions options = given;
  if (options.sources.empty()) options.sources.push_back(shipped_file("benchmark.json"));
  if (options.sources.front().empty()) {
    return report_error({"the models that belong to nnvk are not installed; name a manifest, a folder or a model"});
  }
  const StopSignals signals;
  const auto date = time_now();
  const auto plan = plan_benchmark(options);
  if (!plan) return report_error(plan.error());
  Benchmark benchmark = described(options, *plan, date);
  auto result = run_benchmark_plan(options, *plan);
  if (!result) return report_error(result.error());
  benchmark.measurements = std::move(result->measurements);
  benchmark.no_energy = result->no_energy;
  benchmark.notes.insert(benchmark.notes.end(), result->notes.begin(), result->notes.end());

  if (options.json) {
    print_json(benchmark::to_json(benchmark));
  } else {
    fmt::print("{}", benchmark::to_text(benchmark));
  }
  if (!options.csv.empty()) {
    if (const auto written = write_file(options.csv, benchmark::to_csv(benchmark)); !written)
      return report_error(written.error());
  }
  if (!options.report.empty()) {
    if (const auto written = write_report(options.report, benchmark); !written) return report_error(written.error());
    if (!options.json) fmt::print("the report is {}\n", (std::filesystem::path(options.report) / "index.html").string());
  }
  const bool any = std::ranges::any_of(benchmark.measurements, [](const auto& m) { return m.problem.empty(); });
  if (!result->is_complete) return kIncomplete;
  return any ? kSuccess : kFailure;
}

}  // namespace nnvk::tools
